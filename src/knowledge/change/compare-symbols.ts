// Compares the definitions of a file before and after a change: which came, went, or became others.

import type { CodeSymbol, FileIndex } from '../../code/code-index.ts'
import type { ChangedSymbol } from '../../domain/change-graph.ts'

/** A file as it is on one side of a change. */
export interface FileVersion {
  readonly path: string
  readonly text: string
  readonly fileIndex: FileIndex
}

/** A changed definition with its indexes into the facts of both sides; -1 where it isn't. */
export interface SymbolChange extends ChangedSymbol {
  readonly beforeOrdinal: number
  readonly afterOrdinal: number
}

/** A definition and what of it is compared. */
interface ComparedSymbol {
  readonly symbol: CodeSymbol
  readonly ordinal: number
  readonly name: string
  /** What callers see. */
  readonly face: string
  /** Its lines but for those of definitions in it, without the indentation that they share. */
  readonly body: string
}

/**
 * What the change did to the definitions of one file. One that only moved is left out.
 *
 * @param before the file at the base, under the path that it had there; null where it is new
 * @param after at the head; null where it is gone
 */
export function compareSymbols(
  before: FileVersion | null,
  after: FileVersion | null,
): SymbolChange[] {
  const old = before === null ? new Map<string, ComparedSymbol[]>() : groupByName(before)
  const now = after === null ? new Map<string, ComparedSymbol[]>() : groupByName(after)
  const changes: SymbolChange[] = []
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const olds = old.get(name) ?? []
    const nows = now.get(name) ?? []
    const isOverloaded = olds.length > 1 || nows.length > 1
    for (const [was, is] of pairSymbols(olds, nows)) {
      const change = classifyChange(was, is)
      const path = is === undefined ? before?.path : after?.path
      if (change !== undefined && path !== undefined)
        changes.push(describeChange({ path, was, is, change, isOverloaded }))
    }
  }
  return changes.sort((a, b) => a.startLine - b.startLine || a.endLine - b.endLine)
}

/** Name of a symbol with what it is defined in, joined by a full stop. */
export function qualifiedNameOf(facts: FileIndex, ordinal: number): string {
  const names: string[] = []
  for (let at = ordinal, steps = 0; at >= 0 && steps < 20; steps++) {
    const symbol = facts.symbols[at]
    if (symbol === undefined) break
    names.unshift(symbol.name)
    if (symbol.within === -1 && symbol.owner !== null) names.unshift(symbol.owner)
    at = symbol.within
  }
  return names.join('.')
}

function groupByName(version: FileVersion): Map<string, ComparedSymbol[]> {
  const lines = version.text.split('\n')
  const own = ownLines(version.fileIndex)
  const groups = new Map<string, ComparedSymbol[]>()
  version.fileIndex.symbols.forEach((symbol, ordinal) => {
    const name = qualifiedNameOf(version.fileIndex, ordinal)
    const body = dedent((own[ordinal] ?? []).map((line) => lines[line - 1] ?? ''))
    const entry = { symbol, ordinal, name, face: publicInterfaceOf(symbol, body), body }
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [entry])
    else group.push(entry)
  })
  return groups
}

/** For each symbol the lines that belong to no symbol in it. */
function ownLines({ symbols }: FileIndex): readonly (readonly number[])[] {
  const inner = symbols.map(() => [] as CodeSymbol[])
  for (const symbol of symbols) inner[symbol.within]?.push(symbol)
  return symbols.map(({ startLine, endLine }, ordinal) => {
    const lines: number[] = []
    const parts = (inner[ordinal] ?? []).toSorted((a, b) => a.startLine - b.startLine)
    let line = startLine
    for (const part of parts) {
      // One that shares its first line with what is around it doesn't hide that line.
      for (; line < part.startLine || line === startLine; line++) lines.push(line)
      line = Math.max(line, part.endLine + 1)
    }
    for (; line <= endLine; line++) lines.push(line)
    return lines
  })
}

function dedent(lines: readonly string[]): string {
  const filled = lines.map((line) => line.trimEnd()).filter((line) => line !== '')
  const indentation = /^\s*/.exec(filled[0] ?? '')?.[0] ?? ''
  return filled
    .map((line) => (line.startsWith(indentation) ? line.slice(indentation.length) : line))
    .join('\n')
}

/** A type is all that is written of it; of a value the part before what it is set to. */
function publicInterfaceOf(symbol: CodeSymbol, body: string): string {
  const { kind, signature, exported, parameters } = symbol
  const isType = kind === 'interface' || kind === 'type' || kind === 'enum'
  const words = isType
    ? body
    : kind === 'value'
      ? signature.replace(/\s*:?=(?![=>]).*$/s, '')
      : signature
  return JSON.stringify([kind, words, exported, parameters, symbol.extends])
}

/** Equal ones first, then those with the same face (overloads), then in their order. */
function pairSymbols(
  old: readonly ComparedSymbol[],
  now: readonly ComparedSymbol[],
): [ComparedSymbol | undefined, ComparedSymbol | undefined][] {
  const oldLeft = new Set(old)
  const nowLeft = new Set(now)
  const pairs: [ComparedSymbol | undefined, ComparedSymbol | undefined][] = []
  const pair = (key: (entry: ComparedSymbol) => string) => {
    const byKey = Map.groupBy(oldLeft, key)
    for (const is of nowLeft) {
      const was = byKey.get(key(is))?.shift()
      if (was === undefined) continue
      pairs.push([was, is])
      oldLeft.delete(was)
      nowLeft.delete(is)
    }
  }
  pair(({ face, body }) => `${face}\n${body}`)
  pair(({ face }) => face)
  pair(({ symbol }) => symbol.kind)
  for (const was of oldLeft) pairs.push([was, undefined])
  for (const is of nowLeft) pairs.push([undefined, is])
  return pairs
}

function classifyChange(
  was: ComparedSymbol | undefined,
  is: ComparedSymbol | undefined,
): ChangedSymbol['change'] | undefined {
  if (was === undefined) return 'added'
  if (is === undefined) return 'removed'
  if (was.face !== is.face) return 'signature'
  return was.body === is.body ? undefined : 'body'
}

interface SymbolPair {
  readonly path: string
  readonly was: ComparedSymbol | undefined
  readonly is: ComparedSymbol | undefined
  readonly change: ChangedSymbol['change']
  /** Several definitions have the name: which one a call means is for a compiler to say. */
  readonly isOverloaded: boolean
}

function describeChange({ path, was, is, change, isOverloaded }: SymbolPair): SymbolChange {
  const { symbol, name } = (is ?? was) as ComparedSymbol
  return {
    path,
    name,
    kind: symbol.kind,
    startLine: symbol.startLine,
    endLine: symbol.endLine,
    change,
    exported: symbol.exported || (was?.symbol.exported ?? false),
    parametersBefore: isOverloaded ? null : (was?.symbol.parameters ?? null),
    parameters: isOverloaded ? null : (is?.symbol.parameters ?? null),
    signatureBefore: isOverloaded || !was?.symbol.parameters ? null : was.symbol.signature,
    signature: isOverloaded || !is?.symbol.parameters ? null : is.symbol.signature,
    beforeOrdinal: was?.ordinal ?? -1,
    afterOrdinal: is?.ordinal ?? -1,
  }
}
