// Compares the definitions of a file before and after a change.

import type { ChangedSymbol } from '../../domain/change-graph.ts'
import type { CodeSymbol, FileIndex } from '../../languages/code-index.ts'

const maxNestingDepth = 20

/** A file as it is on one side of a change. */
export interface FileVersion {
  readonly path: string
  readonly text: string
  readonly fileIndex: FileIndex
}

/** A changed definition, with its ordinals in both versions; -1 where it doesn't exist. */
export interface SymbolChange extends ChangedSymbol {
  readonly beforeOrdinal: number
  readonly afterOrdinal: number
}

/** A definition, with the texts that are compared. */
interface ComparedSymbol {
  readonly symbol: CodeSymbol
  readonly ordinal: number
  readonly name: string
  /** Contains all that callers depend on. */
  readonly publicInterface: string
  /** Contains its lines without those of nested definitions and without common indentation. */
  readonly body: string
}

/**
 * Finds the changed definitions of one file. A definition that only moved is not changed.
 *
 * @param before the file at the base, with its path there; null if it is new
 * @param after the file at the head; null if it is deleted
 */
export function compareSymbols(
  before: FileVersion | null,
  after: FileVersion | null,
): SymbolChange[] {
  const oldSymbols = groupByName(before)
  const newSymbols = groupByName(after)
  const changes: SymbolChange[] = []
  for (const name of new Set([...oldSymbols.keys(), ...newSymbols.keys()])) {
    const olds = oldSymbols.get(name) ?? []
    const news = newSymbols.get(name) ?? []
    const isOverloaded = olds.length > 1 || news.length > 1
    for (const [oldSymbol, newSymbol] of pairSymbols(olds, news)) {
      const change = classifyChange(oldSymbol, newSymbol)
      const path = newSymbol === undefined ? before?.path : after?.path
      if (change !== undefined && path !== undefined)
        changes.push(describeChange({ path, oldSymbol, newSymbol, change, isOverloaded }))
    }
  }
  return changes.sort((a, b) => a.startLine - b.startLine || a.endLine - b.endLine)
}

/** Joins the name of a symbol and those of the enclosing symbols with full stops. */
export function qualifiedNameOf({ symbols }: FileIndex, ordinal: number): string {
  const names: string[] = []
  let symbol = symbols[ordinal]
  for (let depth = 0; symbol !== undefined && depth < maxNestingDepth; depth++) {
    names.unshift(symbol.name)
    if (symbol.within === -1 && symbol.owner !== null) names.unshift(symbol.owner)
    symbol = symbols[symbol.within]
  }
  return names.join('.')
}

function groupByName(version: FileVersion | null): Map<string, ComparedSymbol[]> {
  if (version === null) return new Map()
  const { text, fileIndex } = version
  const lines = text.split('\n')
  const ownLines = listOwnLines(fileIndex)
  const symbols = fileIndex.symbols.map((symbol, ordinal) => {
    const name = qualifiedNameOf(fileIndex, ordinal)
    const body = dedent((ownLines[ordinal] ?? []).map((line) => lines[line - 1] ?? ''))
    return { symbol, ordinal, name, publicInterface: publicInterfaceOf(symbol, body), body }
  })
  return Map.groupBy(symbols, ({ name }) => name)
}

/** Collects for each symbol its lines without those of nested symbols. */
function listOwnLines({ symbols }: FileIndex): readonly (readonly number[])[] {
  const nestedSymbols = symbols.map(() => [] as CodeSymbol[])
  for (const symbol of symbols) nestedSymbols[symbol.within]?.push(symbol)
  return symbols.map(({ startLine, endLine }, ordinal) => {
    const lines: number[] = []
    const nested = (nestedSymbols[ordinal] ?? []).toSorted((a, b) => a.startLine - b.startLine)
    let line = startLine
    for (const inner of nested) {
      // A nested symbol can start on the first line, which also belongs to the outer symbol.
      for (; line < inner.startLine || line === startLine; line++) lines.push(line)
      line = Math.max(line, inner.endLine + 1)
    }
    for (; line <= endLine; line++) lines.push(line)
    return lines
  })
}

function dedent(lines: readonly string[]): string {
  const nonEmpty = lines.map((line) => line.trimEnd()).filter((line) => line !== '')
  const indentation = /^\s*/.exec(nonEmpty[0] ?? '')?.[0] ?? ''
  return nonEmpty
    .map((line) => (line.startsWith(indentation) ? line.slice(indentation.length) : line))
    .join('\n')
}

function publicInterfaceOf(symbol: CodeSymbol, body: string): string {
  const { kind, exported, parameters } = symbol
  const declaration = declarationOf(symbol, body)
  return JSON.stringify([kind, declaration, exported, parameters, symbol.extends])
}

/** Callers depend on the whole text of a type, but not on the value of a constant. */
function declarationOf({ kind, signature }: CodeSymbol, body: string): string {
  if (kind === 'interface' || kind === 'type' || kind === 'enum') return body
  return kind === 'value' ? signature.replace(/\s*:?=(?![=>]).*$/s, '') : signature
}

type SymbolPair = [oldSymbol: ComparedSymbol | undefined, newSymbol: ComparedSymbol | undefined]

/**
 * Pairs symbols of one name, such as overloads: equal symbols first, then those with an equal
 * public interface, then those of the same kind in their order.
 */
function pairSymbols(
  oldSymbols: readonly ComparedSymbol[],
  newSymbols: readonly ComparedSymbol[],
): SymbolPair[] {
  const unpairedOld = new Set(oldSymbols)
  const unpairedNew = new Set(newSymbols)
  const pairs: SymbolPair[] = []
  const pairByKey = (keyOf: (compared: ComparedSymbol) => string) => {
    const oldByKey = Map.groupBy(unpairedOld, keyOf)
    for (const newSymbol of unpairedNew) {
      const oldSymbol = oldByKey.get(keyOf(newSymbol))?.shift()
      if (oldSymbol === undefined) continue
      pairs.push([oldSymbol, newSymbol])
      unpairedOld.delete(oldSymbol)
      unpairedNew.delete(newSymbol)
    }
  }
  pairByKey(({ publicInterface, body }) => `${publicInterface}\n${body}`)
  pairByKey(({ publicInterface }) => publicInterface)
  pairByKey(({ symbol }) => symbol.kind)
  for (const oldSymbol of unpairedOld) pairs.push([oldSymbol, undefined])
  for (const newSymbol of unpairedNew) pairs.push([undefined, newSymbol])
  return pairs
}

function classifyChange(
  oldSymbol: ComparedSymbol | undefined,
  newSymbol: ComparedSymbol | undefined,
): ChangedSymbol['change'] | undefined {
  if (oldSymbol === undefined) return 'added'
  if (newSymbol === undefined) return 'removed'
  if (oldSymbol.publicInterface !== newSymbol.publicInterface) return 'signature'
  return oldSymbol.body === newSymbol.body ? undefined : 'body'
}

interface ClassifiedPair {
  readonly path: string
  readonly oldSymbol: ComparedSymbol | undefined
  readonly newSymbol: ComparedSymbol | undefined
  readonly change: ChangedSymbol['change']
  /** Only a compiler can find out which of several definitions a call means. */
  readonly isOverloaded: boolean
}

function describeChange(pair: ClassifiedPair): SymbolChange {
  const { path, oldSymbol, newSymbol, change, isOverloaded } = pair
  const { symbol, name } = (newSymbol ?? oldSymbol) as ComparedSymbol
  const before = describeCallable(oldSymbol, isOverloaded)
  const after = describeCallable(newSymbol, isOverloaded)
  return {
    path,
    name,
    kind: symbol.kind,
    startLine: symbol.startLine,
    endLine: symbol.endLine,
    change,
    exported: symbol.exported || (oldSymbol?.symbol.exported ?? false),
    parametersBefore: before.parameters,
    parameters: after.parameters,
    signatureBefore: before.signature,
    signature: after.signature,
    beforeOrdinal: oldSymbol?.ordinal ?? -1,
    afterOrdinal: newSymbol?.ordinal ?? -1,
  }
}

function describeCallable(
  compared: ComparedSymbol | undefined,
  isOverloaded: boolean,
): { parameters: CodeSymbol['parameters']; signature: string | null } {
  const parameters = compared?.symbol.parameters ?? null
  if (compared === undefined || parameters === null || isOverloaded)
    return { parameters: null, signature: null }
  return { parameters, signature: compared.symbol.signature }
}
