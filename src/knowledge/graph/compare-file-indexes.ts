// What a changed file means for the edges of others: nothing, the names that came or went, or more than names can tell.
import type { CodeImport, CodeSymbol, FileIndex } from '../../code/code-index.ts'

/** Names whose meaning may have changed for other files; null: all of their edges have to be found anew. */
export type AffectedNames = ReadonlySet<string> | null

/** Imports that pass on what another file defines. */
const reexportingKinds: ReadonlySet<CodeImport['kind']> = new Set([
  'reexport',
  'include',
  'system',
  'all',
])

/** @param before null for a file that had no facts; likewise `after` */
export function findAffectedNames(
  before: FileIndex | null,
  after: FileIndex | null,
): AffectedNames {
  if (before === null || after === null) return before === after ? new Set() : null
  if (before.namespace !== after.namespace) return null
  const old = keyImports(before)
  const now = keyImports(after)
  const changed =
    old.size === now.size && [...old.keys()].every((key) => now.has(key)) ? [] : [...old, ...now]
  if (changed.some(([, kind]) => reexportingKinds.has(kind))) return null
  // Who uses a type need not name it: a call may come to it.
  if (haveDifferentBases(before, after)) return null
  const names = new Set([...listDifferingNames(keySymbolsByName(before), keySymbolsByName(after))])
  // What is said of types and of what they come from is followed by others over several steps.
  const isOther =
    changed.length > 0 || JSON.stringify(before.bindings) !== JSON.stringify(after.bindings)
  if (isOther) for (const { name } of [...before.symbols, ...after.symbols]) names.add(name)
  return names
}

function keyImports({ imports }: FileIndex): Map<string, CodeImport['kind']> {
  return new Map(imports.map(({ line: _, ...item }) => [JSON.stringify(item), item.kind]))
}

/** Whether a type that was there before comes from others now. */
function haveDifferentBases(before: FileIndex, after: FileIndex): boolean {
  const said = ({ symbols }: FileIndex) => Map.groupBy(symbols, ({ name }) => name)
  const [old, now] = [said(before), said(after)]
  const basesOf = (symbols: readonly CodeSymbol[]) =>
    JSON.stringify(symbols.map((symbol) => symbol.extends))
  return [...old].some(
    ([name, symbols]) => now.has(name) && basesOf(symbols) !== basesOf(now.get(name)!),
  )
}

/** By name, all that others go by. */
function keySymbolsByName({ symbols, references }: FileIndex): Map<string, string> {
  const said = new Map<string, string>()
  const add = (name: string, words: unknown) =>
    said.set(name, `${said.get(name) ?? ''}${JSON.stringify(words)}`)
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
    // What a default export only names.
    if (name === 'default') {
      add(name, startLine === endLine)
      for (const reference of references)
        if (reference.within === ordinal) add(name, reference.name)
    }
  }
  return said
}

function* listDifferingNames(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Generator<string> {
  for (const [name, said] of before) if (after.get(name) !== said) yield name
  for (const name of after.keys()) if (!before.has(name)) yield name
}
