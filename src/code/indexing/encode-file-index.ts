// The stored form of a file's index: a table of names and columns of numbers, compressed.
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type {
  CodeBinding,
  CodeImport,
  CodeReference,
  CodeSymbol,
  DefinitionKind,
  FileIndex,
} from '../../languages/code-index.ts'

// Positions in these lists are stored. After a change of their order, increase `codeIndexVersion`.
const symbolKinds: readonly DefinitionKind[] = [
  'function',
  'method',
  'class',
  'interface',
  'type',
  'enum',
  'module',
  'value',
]
const importKinds: readonly CodeImport['kind'][] = [
  'static',
  'dynamic',
  'reexport',
  'type',
  'include',
  'system',
  'all',
]
const referenceKinds: readonly CodeReference['kind'][] = ['call', 'new', 'type', 'extends', 'value']

/** The stored form before its compression. Names are positions in `names`, or -1 for null. */
interface Columns {
  readonly file: readonly [lines: number, complexity: number, namespace: number, incomplete: number]
  readonly names: readonly string[]
  readonly symbols: readonly (readonly number[])[]
  readonly extends: readonly (readonly number[])[]
  readonly imports: readonly (readonly number[])[]
  readonly bound: readonly (readonly number[])[]
  readonly references: readonly (readonly number[])[]
  readonly bindings: readonly (readonly number[])[]
}

/** Encodes a file's index for storage; `decodeFileIndex` reverses it. */
export function encodeFileIndex(fileIndex: FileIndex): Buffer {
  const names = new NameTable()
  const add = (name: string | null) => names.add(name)
  const { symbols, imports, references, bindings } = fileIndex
  const columns: Columns = {
    file: [
      fileIndex.lines,
      fileIndex.complexity,
      add(fileIndex.namespace),
      Number(fileIndex.incomplete),
    ],
    symbols: [
      symbols.map(({ name }) => add(name)),
      symbols.map(({ kind }) => symbolKinds.indexOf(kind)),
      toDeltas(symbols.map(({ startLine }) => startLine)),
      symbols.map(({ startLine, endLine }) => endLine - startLine),
      symbols.map(({ within }) => within),
      symbols.map(({ owner }) => add(owner)),
      symbols.map(({ exported }) => Number(exported)),
      symbols.map(({ signature }) => add(signature)),
      symbols.map(({ complexity }) => complexity),
      symbols.map(({ parameters }) => parameters?.least ?? -1),
      symbols.map(({ parameters }) => parameters?.most ?? -1),
    ],
    extends: symbols.flatMap((symbol, index) => symbol.extends.map((name) => [index, add(name)])),
    imports: [
      toDeltas(imports.map(({ line }) => line)),
      imports.map(({ from }) => add(from)),
      imports.map(({ kind }) => importKinds.indexOf(kind)),
    ],
    bound: imports.map((item) => item.names.flatMap(({ name, local }) => [add(name), add(local)])),
    references: [
      references.map(({ name }) => add(name)),
      references.map(({ qualifier }) => add(qualifier)),
      references.map(({ kind }) => referenceKinds.indexOf(kind)),
      toDeltas(references.map(({ line }) => line)),
      references.map(({ within }) => within),
      references.map((reference) => reference.arguments ?? -1),
    ],
    bindings: [
      bindings.map(({ name }) => add(name)),
      bindings.map(({ type }) => add(type)),
      bindings.map(({ within }) => within),
    ],
    names: names.all,
  }
  return deflateRawSync(JSON.stringify(columns), { level: 3 })
}

/** Decodes the result of `encodeFileIndex`; throws for other bytes. */
export function decodeFileIndex(bytes: Uint8Array): FileIndex {
  const columns = JSON.parse(inflateRawSync(bytes).toString()) as Columns
  const [lines, complexity, namespace, incomplete] = columns.file
  const text = (position: number) => columns.names[position] ?? ''
  const textOrNull = (position: number) => (position === -1 ? null : text(position))
  return {
    lines,
    complexity,
    namespace: textOrNull(namespace),
    incomplete: incomplete === 1,
    symbols: decodeSymbols(columns, text, textOrNull),
    imports: decodeImports(columns, text),
    references: decodeReferences(columns, text, textOrNull),
    bindings: decodeBindings(columns, text),
  }
}

type Text = (position: number) => string
type TextOrNull = (position: number) => string | null

function decodeSymbols(columns: Columns, text: Text, textOrNull: TextOrNull): CodeSymbol[] {
  const [
    names,
    kinds,
    starts,
    lineCounts,
    withins,
    owners,
    exported,
    signatures,
    complexities,
    least,
    most,
  ] = columns.symbols as SymbolColumns
  const bases = new Map<number, string[]>()
  for (const [symbol, name] of columns.extends) {
    const names = bases.get(symbol!)
    if (names === undefined) bases.set(symbol!, [text(name!)])
    else names.push(text(name!))
  }
  const lines = fromDeltas(starts)
  return names.map((name, index) => ({
    name: text(name),
    kind: symbolKinds[kinds[index]!]!,
    startLine: lines[index]!,
    endLine: lines[index]! + lineCounts[index]!,
    within: withins[index]!,
    owner: textOrNull(owners[index]!),
    exported: exported[index] === 1,
    signature: text(signatures[index]!),
    complexity: complexities[index]!,
    parameters:
      least[index] === -1
        ? null
        : { least: least[index]!, most: most[index] === -1 ? null : most[index]! },
    extends: bases.get(index) ?? [],
  }))
}

type Column = readonly number[]
type SymbolColumns = readonly [
  Column,
  Column,
  Column,
  Column,
  Column,
  Column,
  Column,
  Column,
  Column,
  Column,
  Column,
]

function decodeImports(columns: Columns, text: Text): CodeImport[] {
  const [lineDeltas, sources, kinds] = columns.imports as readonly [Column, Column, Column]
  const lines = fromDeltas(lineDeltas)
  return sources.map((source, index) => {
    const bound = columns.bound[index]!
    const names = Array.from({ length: bound.length / 2 }, (_, position) => ({
      name: text(bound[2 * position]!),
      local: text(bound[2 * position + 1]!),
    }))
    return { line: lines[index]!, from: text(source), names, kind: importKinds[kinds[index]!]! }
  })
}

function decodeReferences(columns: Columns, text: Text, textOrNull: TextOrNull): CodeReference[] {
  const [names, qualifiers, kinds, lineDeltas, withins, argumentCounts] =
    columns.references as readonly [Column, Column, Column, Column, Column, Column]
  const lines = fromDeltas(lineDeltas)
  return names.map((name, index) => ({
    name: text(name),
    qualifier: textOrNull(qualifiers[index]!),
    kind: referenceKinds[kinds[index]!]!,
    line: lines[index]!,
    within: withins[index]!,
    arguments: argumentCounts[index] === -1 ? null : argumentCounts[index]!,
  }))
}

function decodeBindings(columns: Columns, text: Text): CodeBinding[] {
  const [names, types, withins] = columns.bindings as readonly [Column, Column, Column]
  return names.map((name, index) => ({
    name: text(name),
    type: text(types[index]!),
    within: withins[index]!,
  }))
}

/** Differences of line numbers are smaller than line numbers, so they compress better. */
function toDeltas(lines: readonly number[]): number[] {
  return lines.map((line, index) => line - (lines[index - 1] ?? 0))
}

function fromDeltas(deltas: Column): number[] {
  let line = 0
  return deltas.map((delta) => {
    line += delta
    return line
  })
}

/** Collects names, each of them once. */
class NameTable {
  readonly all: string[] = []
  readonly #positions = new Map<string, number>()

  /** Returns the position of a name in `all`, adding it if needed; -1 for null. */
  add(name: string | null): number {
    if (name === null) return -1
    const position = this.#positions.get(name)
    if (position !== undefined) return position
    this.#positions.set(name, this.all.length)
    return this.all.push(name) - 1
  }
}
