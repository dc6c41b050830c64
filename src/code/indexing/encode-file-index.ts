// Facts as they are stored: each name once, the rest as columns of numbers, compressed.
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type {
  CodeBinding,
  CodeImport,
  CodeReference,
  CodeSymbol,
  FileIndex,
} from '../code-index.ts'
import type { DefinitionKind } from '../outline.ts'

// The order of these is part of what is stored: whoever changes it raises `codeIndexVersion`.
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

/** What is stored before it is compressed: columns of the four lists, in which names are their places in `names`. */
interface Columns {
  readonly file: readonly [lines: number, complexity: number, namespace: number, damaged: number]
  readonly names: readonly string[]
  readonly symbols: readonly (readonly number[])[]
  readonly extends: readonly (readonly number[])[]
  readonly imports: readonly (readonly number[])[]
  readonly bound: readonly (readonly number[])[]
  readonly references: readonly (readonly number[])[]
  readonly bindings: readonly (readonly number[])[]
}

/** Makes facts small; see `decodeFileIndex`. */
export function encodeFileIndex(facts: FileIndex): Buffer {
  const names = new NameTable()
  const add = (name: string | null) => names.add(name)
  const { symbols, imports, references, bindings } = facts
  const columns: Columns = {
    file: [facts.lines, facts.complexity, add(facts.namespace), Number(facts.incomplete)],
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

/** The facts that `encodeFileIndex` made small; throws for anything else. */
export function decodeFileIndex(bytes: Uint8Array): FileIndex {
  const columns = JSON.parse(inflateRawSync(bytes).toString()) as Columns
  const [lines, complexity, namespace, damaged] = columns.file
  const text = (place: number) => columns.names[place] ?? ''
  const textOrNull = (place: number) => (place === -1 ? null : text(place))
  return {
    lines,
    complexity,
    namespace: textOrNull(namespace),
    incomplete: damaged === 1,
    symbols: decodeSymbols(columns, text, textOrNull),
    imports: decodeImports(columns, text),
    references: decodeReferences(columns, text, textOrNull),
    bindings: decodeBindings(columns, text),
  }
}

type Text = (place: number) => string
type TextOrNull = (place: number) => string | null

function decodeSymbols(columns: Columns, text: Text, textOrNull: TextOrNull): CodeSymbol[] {
  const [
    names,
    kinds,
    starts,
    heights,
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
    const known = bases.get(symbol!)
    if (known === undefined) bases.set(symbol!, [text(name!)])
    else known.push(text(name!))
  }
  const lines = fromDeltas(starts)
  return names.map((name, index) => ({
    name: text(name),
    kind: symbolKinds[kinds[index]!]!,
    startLine: lines[index]!,
    endLine: lines[index]! + heights[index]!,
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
  const [steps, sources, kinds] = columns.imports as readonly [Column, Column, Column]
  const lines = fromDeltas(steps)
  return sources.map((source, index) => {
    const bound = columns.bound[index]!
    const names = Array.from({ length: bound.length / 2 }, (_, place) => ({
      name: text(bound[2 * place]!),
      local: text(bound[2 * place + 1]!),
    }))
    return { line: lines[index]!, from: text(source), names, kind: importKinds[kinds[index]!]! }
  })
}

function decodeReferences(columns: Columns, text: Text, textOrNull: TextOrNull): CodeReference[] {
  const [names, qualifiers, kinds, steps, withins, passed] = columns.references as readonly [
    Column,
    Column,
    Column,
    Column,
    Column,
    Column,
  ]
  const lines = fromDeltas(steps)
  return names.map((name, index) => ({
    name: text(name),
    qualifier: textOrNull(qualifiers[index]!),
    kind: referenceKinds[kinds[index]!]!,
    line: lines[index]!,
    within: withins[index]!,
    arguments: passed[index] === -1 ? null : passed[index]!,
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

/** Lines mostly rise by little: the steps between them are smaller than they are. */
function toDeltas(lines: readonly number[]): number[] {
  return lines.map((line, index) => line - (lines[index - 1] ?? 0))
}

function fromDeltas(steps: Column): number[] {
  let line = 0
  return steps.map((step) => {
    line += step
    return line
  })
}

/** Keeps each name once. */
class NameTable {
  readonly all: string[] = []
  readonly #places = new Map<string, number>()

  /** The place of a name; -1 for none. */
  add(name: string | null): number {
    if (name === null) return -1
    const known = this.#places.get(name)
    if (known !== undefined) return known
    this.#places.set(name, this.all.length)
    return this.all.push(name) - 1
  }
}
