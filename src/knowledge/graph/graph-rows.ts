// What a code graph stores of a file: its row, and its symbols, as its facts say them.

import type { CodeSymbol, FileIndex } from '../../code/code-index.ts'
import { toStorableText } from '../../contract/storable-text.ts'
import { createNameFilter } from './name-filter.ts'

/** A file as it is stored, see the table `code_files`. */
export interface FileRow {
  readonly path: string
  readonly oid: string
  readonly grammar: string
  readonly language: string | null
  readonly kind: string
  readonly isTest: boolean
  readonly size: number
  readonly lines: number | null
  readonly complexity: number | null
  readonly unparsed: string | null
  readonly namespace: string | null
  readonly usedNames: Buffer | null
}

export interface SymbolRow {
  readonly ordinal: number
  readonly name: string
  readonly kind: string
  /** Names of what it is defined in, joined by full stops. */
  readonly container: string
  readonly startLine: number
  readonly endLine: number
  readonly exported: boolean
}

/** An index holds no longer names, and nobody looks for them. */
const maxNameLength = 500
const maxContainerLength = 1000

/** The symbols of a file as they are stored. */
export function toSymbolRows(facts: FileIndex): SymbolRow[] {
  return facts.symbols.map((symbol, ordinal) => ({
    ordinal,
    name: toStorableText(symbol.name.slice(0, maxNameLength)),
    kind: symbol.kind,
    container: containerName(facts, symbol),
    startLine: symbol.startLine,
    endLine: symbol.endLine,
    exported: symbol.exported,
  }))
}

/** What a symbol is defined in; where it names another type as its owner, that. */
function containerName({ symbols }: FileIndex, { owner, within }: CodeSymbol): string {
  const names = owner === null ? [] : [owner]
  for (
    let at = owner === null ? within : -1;
    at !== -1 && names.length < 50;
    at = symbols[at]?.within ?? -1
  ) {
    names.unshift(symbols[at]?.name ?? '')
  }
  return toStorableText(names.join('.').slice(0, maxContainerLength))
}

/** The package or namespace of a file as it is stored. */
export function toStoredNamespace({ namespace }: FileIndex): string | null {
  return namespace === null ? null : toStorableText(namespace.slice(0, maxNameLength))
}

/** Which names a file may look for in others: wherever one of them is defined or goes away, its edges may change. */
export function createUsedNameFilter(facts: FileIndex): Buffer {
  const names = new Set<string>()
  for (const { name, qualifier } of facts.references) names.add(name).add(qualifier ?? '')
  for (const item of facts.imports)
    for (const { name, local } of item.names) names.add(name).add(local)
  for (const { type } of facts.bindings) names.add(type)
  for (const symbol of facts.symbols) {
    names.add(symbol.owner ?? '')
    for (const base of symbol.extends) names.add(base)
  }
  return createNameFilter(names)
}
