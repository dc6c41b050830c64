// Compares the definitions of a file before and after a change: which came, went, or became others.
import type { ChangedSymbol } from '../../domain/change-graph.ts'
import type { CodeFacts, CodeSymbol } from '../../workspace/code-facts.ts'

/** A file as it is on one side of a change. */
export interface FileVersion {
  readonly path: string
  readonly text: string
  readonly facts: CodeFacts
}

/** A changed definition with its indexes into the facts of both sides; -1 where it isn't. */
export interface SymbolChange extends ChangedSymbol {
  readonly before: number
  readonly after: number
}

/** A definition and what of it is compared. */
interface Entry {
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
  const old = before === null ? new Map<string, Entry[]>() : groupByName(before)
  const now = after === null ? new Map<string, Entry[]>() : groupByName(after)
  const changes: SymbolChange[] = []
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const olds = old.get(name) ?? []
    const nows = now.get(name) ?? []
    const isOverloaded = olds.length > 1 || nows.length > 1
    for (const [was, is] of pairEntries(olds, nows)) {
      const change = tellChange(was, is)
      const path = is === undefined ? before?.path : after?.path
      if (change !== undefined && path !== undefined)
        changes.push(describe({ path, was, is, change, isOverloaded }))
    }
  }
  return changes.sort((a, b) => a.startLine - b.startLine || a.endLine - b.endLine)
}

/** Name of a symbol with what it is defined in, joined by a full stop. */
export function fullNameOf(facts: CodeFacts, ordinal: number): string {
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

function groupByName(version: FileVersion): Map<string, Entry[]> {
  const lines = version.text.split('\n')
  const own = ownLines(version.facts)
  const groups = new Map<string, Entry[]>()
  version.facts.symbols.forEach((symbol, ordinal) => {
    const name = fullNameOf(version.facts, ordinal)
    const body = dedent((own[ordinal] ?? []).map((line) => lines[line - 1] ?? ''))
    const entry = { symbol, ordinal, name, face: faceOf(symbol, body), body }
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [entry])
    else group.push(entry)
  })
  return groups
}

/** For each symbol the lines that belong to no symbol in it. */
function ownLines({ symbols }: CodeFacts): readonly (readonly number[])[] {
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
function faceOf(symbol: CodeSymbol, body: string): string {
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
function pairEntries(
  old: readonly Entry[],
  now: readonly Entry[],
): [Entry | undefined, Entry | undefined][] {
  const oldLeft = new Set(old)
  const nowLeft = new Set(now)
  const pairs: [Entry | undefined, Entry | undefined][] = []
  const pair = (key: (entry: Entry) => string) => {
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

function tellChange(
  was: Entry | undefined,
  is: Entry | undefined,
): ChangedSymbol['change'] | undefined {
  if (was === undefined) return 'added'
  if (is === undefined) return 'removed'
  if (was.face !== is.face) return 'signature'
  return was.body === is.body ? undefined : 'body'
}

interface Compared {
  readonly path: string
  readonly was: Entry | undefined
  readonly is: Entry | undefined
  readonly change: ChangedSymbol['change']
  /** Several definitions have the name: which one a call means is for a compiler to say. */
  readonly isOverloaded: boolean
}

function describe({ path, was, is, change, isOverloaded }: Compared): SymbolChange {
  const { symbol, name } = (is ?? was) as Entry
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
    before: was?.ordinal ?? -1,
    after: is?.ordinal ?? -1,
  }
}
