// Compares two index entries of a file to find the names whose edges in other files may change.
import type { CodeImport, CodeSymbol, FileIndex } from '../../../languages/code-index.ts'

/**
 * Names whose meaning may have changed for other files. Null means that the edges of all files
 * have to be resolved again.
 */
type AffectedNames = ReadonlySet<string> | null

const reexportingKinds: ReadonlySet<CodeImport['kind']> = new Set([
  'reexport',
  'include',
  'system',
  'all',
])

/** @param before is null, like `after`, where the file has no entry in the code index */
export function findAffectedNames(
  before: FileIndex | null,
  after: FileIndex | null,
): AffectedNames {
  if (before === null || after === null) return before === after ? new Set() : null
  if (before.namespace !== after.namespace) return null
  const oldImports = keyImports(before)
  const newImports = keyImports(after)
  const hasSameImports =
    oldImports.size === newImports.size &&
    [...oldImports.keys()].every((key) => newImports.has(key))
  if (!hasSameImports && hasReexports(oldImports, newImports)) return null
  // Code can use a type without naming it, through the result of a call.
  if (haveDifferentBases(before, after)) return null
  const names = new Set(listDifferingNames(keySymbolsByName(before), keySymbolsByName(after)))
  // Other files follow types through imports and bindings over several steps.
  const hasSameBindings = JSON.stringify(before.bindings) === JSON.stringify(after.bindings)
  if (!hasSameImports || !hasSameBindings) {
    for (const { name } of [...before.symbols, ...after.symbols]) names.add(name)
  }
  return names
}

type ImportKinds = ReadonlyMap<string, CodeImport['kind']>

function hasReexports(...imports: readonly ImportKinds[]): boolean {
  return imports.some((kinds) => kinds.values().some((kind) => reexportingKinds.has(kind)))
}

function keyImports({ imports }: FileIndex): Map<string, CodeImport['kind']> {
  return new Map(imports.map(({ line: _, ...item }) => [JSON.stringify(item), item.kind]))
}

/** Compares the base types of symbols that exist in both versions. */
function haveDifferentBases(before: FileIndex, after: FileIndex): boolean {
  const oldSymbols = Map.groupBy(before.symbols, ({ name }) => name)
  const newSymbols = Map.groupBy(after.symbols, ({ name }) => name)
  const basesOf = (symbols: readonly CodeSymbol[]) =>
    JSON.stringify(symbols.map((symbol) => symbol.extends))
  return [...oldSymbols].some(([name, symbols]) => {
    const current = newSymbols.get(name)
    return current !== undefined && basesOf(symbols) !== basesOf(current)
  })
}

/** Maps each symbol name to a text of all properties that the resolution of other files reads. */
function keySymbolsByName({ symbols, references }: FileIndex): Map<string, string> {
  const keys = new Map<string, string>()
  const add = (name: string, properties: unknown) =>
    keys.set(name, `${keys.get(name) ?? ''}${JSON.stringify(properties)}`)
  for (const [ordinal, symbol] of symbols.entries()) {
    const {
      name,
      kind,
      exported,
      owner,
      parameters,
      extends: bases,
      signature,
      startLine,
      endLine,
    } = symbol
    const around = symbols[symbol.within]
    add(name, [kind, exported, owner, parameters, bases, around?.name, around?.kind])
    if (signature.startsWith('export default')) add('default', [name, kind])
    // A default export may only name another symbol, which `followDefaultExport` then follows.
    if (name === 'default') {
      add(name, startLine === endLine)
      for (const reference of references)
        if (reference.within === ordinal) add(name, reference.name)
    }
  }
  return keys
}

function* listDifferingNames(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Generator<string> {
  for (const [name, key] of before) if (after.get(name) !== key) yield name
  for (const name of after.keys()) if (!before.has(name)) yield name
}
