// Finds the uses of changed definitions that the change itself left as they are.

import type { CodeReference, FileIndex } from '../../code/code-index.ts'
import { isTestPath } from '../../code/languages.ts'
import { type CallSite, minSureConfidence } from '../../domain/change-graph.ts'
import { type CodeView, resolveReferences } from '../resolution/resolve-references.ts'
import { isHeader } from '../resolution/shared-scopes.ts'
import type { ChangedFile } from './changed-file.ts'
import { qualifiedNameOf, type SymbolChange } from './compare-symbols.ts'

/** A use, before its line's text was read. */
export type UnreadCallSite = Omit<CallSite, 'text'>

/** The repository before and after the change, as far as it was read. */
export interface ChangeViews {
  /** The changed files as they were at the base; all others as they are at the head. */
  readonly before: CodeView
  readonly after: CodeView
}

/** Below it a use is more likely one of something else. */
const minConfidence = 0.3
/** Nobody used before what the change adds: only who surely means it does so now. */
const minAddedConfidence = 0.7

/** A name that more files define tells nothing by itself. */
const maxCompetingFiles = 3

/** Where a definition is: its file and its place among the file's symbols. */
export type SymbolKey = string
export const symbolKey = (path: string, ordinal: number): SymbolKey => `${ordinal} ${path}`

/**
 * Uses of changed definitions outside of the changed lines.
 *
 * @param symbols the changed definitions; `symbol` of what comes is an index into them
 * @param paths of files at the head that may use them, beside the changed ones
 */
export function findChangeCallers(
  views: ChangeViews,
  files: readonly ChangedFile[],
  symbols: readonly SymbolChange[],
  paths: readonly string[],
): UnreadCallSite[] {
  const living = indexSymbols(symbols, ({ path, afterOrdinal: after }) =>
    after === -1 ? undefined : symbolKey(path, after),
  )
  const oldPaths = new Map(
    files.map(({ diff, before }) => [diff.path, before?.path ?? diff.oldPath]),
  )
  const gone = indexSymbols(symbols, ({ path, beforeOrdinal: before, afterOrdinal: after }) =>
    after === -1 ? symbolKey(oldPaths.get(path) ?? path, before) : undefined,
  )
  const changed = new Set(files.map(({ diff }) => diff.path))
  const found: UnreadCallSite[] = []
  for (const file of files)
    if (file.after !== null)
      found.push(...findInChangedFile(views, file, symbols, { living, gone }))
  for (const path of paths) {
    if (!changed.has(path))
      found.push(...findInUnchangedFile(views, path, symbols, { living, gone }))
  }
  return found
}

interface SymbolIndexes {
  readonly living: ReadonlyMap<SymbolKey, number>
  readonly gone: ReadonlyMap<SymbolKey, number>
}

function indexSymbols(
  symbols: readonly SymbolChange[],
  keyOfSymbol: (symbol: SymbolChange) => SymbolKey | undefined,
): Map<SymbolKey, number> {
  const index = new Map<SymbolKey, number>()
  symbols.forEach((symbol, at) => {
    const key = keyOfSymbol(symbol)
    if (key !== undefined) index.set(key, at)
  })
  return index
}

/** One reference that means one of the changed definitions. */
export interface ReferenceMatch {
  readonly reference: CodeReference
  readonly symbol: number
  readonly confidence: number
}

function findInUnchangedFile(
  views: ChangeViews,
  path: string,
  symbols: readonly SymbolChange[],
  { living, gone }: SymbolIndexes,
): UnreadCallSite[] {
  const facts = views.after.fileIndex(path)
  if (facts === undefined) return []
  const now = new Map<number, ReferenceMatch>()
  const matches = matchReferences(views.after, path, facts, living, now)
  if (gone.size > 0) {
    const then = matchReferences(views.before, path, facts, gone)
    for (const [at, match] of then) {
      // It may have moved to where this file still finds it.
      if ((now.get(at)?.confidence ?? 0) < match.confidence) matches.set(at, match)
    }
  }
  return [...matches.values()]
    .filter(({ symbol, confidence }) => isConfident(symbols[symbol], confidence))
    .map((match) => toCallSite(path, facts, match, match.reference.line, false))
}

function findInChangedFile(
  views: ChangeViews,
  { diff, before, after, lines }: ChangedFile,
  symbols: readonly SymbolChange[],
  { living, gone }: SymbolIndexes,
): UnreadCallSite[] {
  if (after === null) return []
  const now = new Map<number, ReferenceMatch>()
  const matches = matchReferences(views.after, diff.path, after.fileIndex, living, now)
  const sites = [...matches.values()]
    .filter(({ reference, symbol, confidence }) => {
      const { path, startLine, endLine } = symbols[symbol]!
      const isItself =
        path === diff.path && reference.line >= startLine && reference.line <= endLine
      return (
        !isItself && !lines.added.has(reference.line) && isConfident(symbols[symbol], confidence)
      )
    })
    .map((match) => toCallSite(diff.path, after.fileIndex, match, match.reference.line, true))
  if (gone.size === 0 || before === null) return sites
  const placed = new Map(
    [...now.values()].map((match) => [`${match.reference.line} ${match.reference.name}`, match]),
  )
  for (const match of matchReferences(views.before, before.path, before.fileIndex, gone).values()) {
    const line = lines.toHead(match.reference.line)
    if (line === undefined || !isConfident(symbols[match.symbol], match.confidence)) continue
    if ((placed.get(`${line} ${match.reference.name}`)?.confidence ?? 0) >= match.confidence)
      continue
    sites.push(toCallSite(diff.path, before.fileIndex, match, line, true))
  }
  return sites
}

/**
 * The references of a file that mean definitions of an index, by their place among the file's references.
 *
 * @param all receives the surest meaning of every reference that has one, in the index (`symbol`) or not (-1)
 */
export function matchReferences(
  view: CodeView,
  path: string,
  facts: FileIndex,
  index: ReadonlyMap<SymbolKey, number>,
  all?: Map<number, ReferenceMatch>,
): Map<number, ReferenceMatch> {
  const matches = new Map<number, ReferenceMatch>()
  for (const { reference: at, targets } of resolveReferences(view, path)) {
    const reference = facts.references[at]
    if (reference === undefined) continue
    for (const target of targets) {
      const symbol = index.get(symbolKey(target.path, target.ordinal)) ?? -1
      const confidence = adjustConfidence(view, reference, target.confidence)
      const match = { reference, symbol, confidence }
      if (confidence > (all?.get(at)?.confidence ?? 0)) all?.set(at, match)
      if (symbol !== -1 && confidence > (matches.get(at)?.confidence ?? 0)) matches.set(at, match)
    }
  }
  return matches
}

/** What was told by the name alone is worth less where files that weren't read define it too. */
function adjustConfidence(view: CodeView, { name }: CodeReference, confidence: number): number {
  if (confidence >= minSureConfidence) return confidence
  const rivals = new Set(
    view.definitionsOf(name).flatMap(({ path }) => (isHeader(path) ? [] : [path])),
  ).size
  return rivals <= 1 ? confidence : rivals <= maxCompetingFiles ? Math.min(confidence, 0.3) : 0
}

function isConfident(symbol: SymbolChange | undefined, confidence: number): boolean {
  return confidence >= (symbol?.change === 'added' ? minAddedConfidence : minConfidence)
}

/** A match as it is told. */
export function toCallSite(
  path: string,
  facts: FileIndex,
  match: ReferenceMatch,
  line: number,
  inChange: boolean,
): UnreadCallSite {
  const { reference, symbol, confidence } = match
  return {
    path,
    line,
    symbol,
    within: reference.within === -1 ? null : qualifiedNameOf(facts, reference.within),
    kind: reference.kind,
    arguments: reference.arguments,
    inChange,
    isTest: isTestPath(path),
    confidence,
  }
}
