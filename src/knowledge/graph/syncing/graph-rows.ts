// Converts a file's index entry to the rows that the code graph stores.

import { toStorableText } from '../../../contract/storable-text.ts'
import type { Row } from '../../../db/schema.ts'
import type { CodeSymbol, FileIndex } from '../../../languages/code-index.ts'
import { createNameFilter } from '../name-filter.ts'

export type FileRow = Omit<Row<'codeFiles'>, 'id' | 'graphId'>

export type SymbolRow = Omit<Row<'codeSymbols'>, 'graphId' | 'fileId'>

// PostgreSQL rejects index entries above a third of a page, so that longer names are cut.
const maxNameLength = 500
const maxContainerLength = 1000
const maxNestingDepth = 50

export function toSymbolRows(fileIndex: FileIndex): SymbolRow[] {
  return fileIndex.symbols.map((symbol, ordinal) => ({
    ordinal,
    name: toStorableText(symbol.name.slice(0, maxNameLength)),
    kind: symbol.kind,
    container: containerName(fileIndex, symbol),
    startLine: symbol.startLine,
    endLine: symbol.endLine,
    exported: symbol.exported,
  }))
}

/** A symbol with an explicit owner, such as a method of Go, is contained in that owner alone. */
function containerName({ symbols }: FileIndex, { owner, within }: CodeSymbol): string {
  if (owner !== null) return toStorableText(owner.slice(0, maxContainerLength))
  const names: string[] = []
  let enclosing = within
  while (enclosing !== -1 && names.length < maxNestingDepth) {
    names.unshift(symbols[enclosing]?.name ?? '')
    enclosing = symbols[enclosing]?.within ?? -1
  }
  return toStorableText(names.join('.').slice(0, maxContainerLength))
}

export function toStoredNamespace({ namespace }: FileIndex): string | null {
  return namespace === null ? null : toStorableText(namespace.slice(0, maxNameLength))
}

/**
 * The names that a file may look up in other files, as a Bloom filter (see `createNameFilter`).
 * The file's edges may change wherever a definition of one of them appears or disappears.
 */
export function createUsedNameFilter(fileIndex: FileIndex): Buffer {
  const names = new Set<string>()
  for (const { name, qualifier } of fileIndex.references) names.add(name).add(qualifier ?? '')
  for (const item of fileIndex.imports)
    for (const { name, local } of item.names) names.add(name).add(local)
  for (const { type } of fileIndex.bindings) names.add(type)
  for (const symbol of fileIndex.symbols) {
    names.add(symbol.owner ?? '')
    for (const base of symbol.extends) names.add(base)
  }
  return createNameFilter(names)
}
