// Finds the uses of changed definitions that the change itself left as they are.
import { type Caller, sureConfidence } from '../../domain/change-graph.ts'
import type { CodeFacts, CodeReference } from '../../workspace/code-facts.ts'
import { isTestPath } from '../../workspace/languages.ts'
import { type CodeView, resolveReferences } from '../resolution/resolve-references.ts'
import { isHeader } from '../resolution/shared-scopes.ts'
import type { ChangedFile } from './changed-file.ts'
import { fullNameOf, type SymbolChange } from './compare-symbols.ts'

/** A use, before its line's text was read. */
export type UseSite = Omit<Caller, 'text'>

/** The repository before and after the change, as far as it was read. */
export interface TwoViews {
  /** The changed files as they were at the base; all others as they are at the head. */
  readonly before: CodeView
  readonly after: CodeView
}

/** Below it a use is more likely one of something else. */
const leastConfidence = 0.3
/** Nobody used before what the change adds: only who surely means it does so now. */
const leastOfAdded = 0.7

/** A name that more files define tells nothing by itself. */
const mostRivals = 3

/** Where a definition is: its file and its place among the file's symbols. */
export type Key = string
export const keyOf = (path: string, ordinal: number): Key => `${ordinal} ${path}`

/**
 * Uses of changed definitions outside of the changed lines.
 *
 * @param symbols the changed definitions; `symbol` of what comes is an index into them
 * @param paths of files at the head that may use them, beside the changed ones
 */
export function findCallers(
  views: TwoViews,
  files: readonly ChangedFile[],
  symbols: readonly SymbolChange[],
  paths: readonly string[],
): UseSite[] {
  const living = indexSymbols(symbols, ({ path, after }) =>
    after === -1 ? undefined : keyOf(path, after),
  )
  const oldPaths = new Map(
    files.map(({ diff, before }) => [diff.path, before?.path ?? diff.oldPath]),
  )
  const gone = indexSymbols(symbols, ({ path, before, after }) =>
    after === -1 ? keyOf(oldPaths.get(path) ?? path, before) : undefined,
  )
  const changed = new Set(files.map(({ diff }) => diff.path))
  const found: UseSite[] = []
  for (const file of files)
    if (file.after !== null) found.push(...findInChanged(views, file, symbols, { living, gone }))
  for (const path of paths) {
    if (!changed.has(path)) found.push(...findInOther(views, path, symbols, { living, gone }))
  }
  return found
}

interface Indexes {
  readonly living: ReadonlyMap<Key, number>
  readonly gone: ReadonlyMap<Key, number>
}

function indexSymbols(
  symbols: readonly SymbolChange[],
  keyOfSymbol: (symbol: SymbolChange) => Key | undefined,
): Map<Key, number> {
  const index = new Map<Key, number>()
  symbols.forEach((symbol, at) => {
    const key = keyOfSymbol(symbol)
    if (key !== undefined) index.set(key, at)
  })
  return index
}

/** One reference that means one of the changed definitions. */
export interface Match {
  readonly reference: CodeReference
  readonly symbol: number
  readonly confidence: number
}

function findInOther(
  views: TwoViews,
  path: string,
  symbols: readonly SymbolChange[],
  { living, gone }: Indexes,
): UseSite[] {
  const facts = views.after.facts(path)
  if (facts === undefined) return []
  const now = new Map<number, Match>()
  const matches = matchReferences(views.after, path, facts, living, now)
  if (gone.size > 0) {
    const then = matchReferences(views.before, path, facts, gone)
    for (const [at, match] of then) {
      // It may have moved to where this file still finds it.
      if ((now.get(at)?.confidence ?? 0) < match.confidence) matches.set(at, match)
    }
  }
  return [...matches.values()]
    .filter(({ symbol, confidence }) => isSure(symbols[symbol], confidence))
    .map((match) => describeUse(path, facts, match, match.reference.line, false))
}

function findInChanged(
  views: TwoViews,
  { diff, before, after, lines }: ChangedFile,
  symbols: readonly SymbolChange[],
  { living, gone }: Indexes,
): UseSite[] {
  if (after === null) return []
  const now = new Map<number, Match>()
  const matches = matchReferences(views.after, diff.path, after.facts, living, now)
  const sites = [...matches.values()]
    .filter(({ reference, symbol, confidence }) => {
      const { path, startLine, endLine } = symbols[symbol]!
      const isItself =
        path === diff.path && reference.line >= startLine && reference.line <= endLine
      return !isItself && !lines.added.has(reference.line) && isSure(symbols[symbol], confidence)
    })
    .map((match) => describeUse(diff.path, after.facts, match, match.reference.line, true))
  if (gone.size === 0 || before === null) return sites
  const placed = new Map(
    [...now.values()].map((match) => [`${match.reference.line} ${match.reference.name}`, match]),
  )
  for (const match of matchReferences(views.before, before.path, before.facts, gone).values()) {
    const line = lines.toHead(match.reference.line)
    if (line === undefined || !isSure(symbols[match.symbol], match.confidence)) continue
    if ((placed.get(`${line} ${match.reference.name}`)?.confidence ?? 0) >= match.confidence)
      continue
    sites.push(describeUse(diff.path, before.facts, match, line, true))
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
  facts: CodeFacts,
  index: ReadonlyMap<Key, number>,
  all?: Map<number, Match>,
): Map<number, Match> {
  const matches = new Map<number, Match>()
  for (const { reference: at, targets } of resolveReferences(view, path)) {
    const reference = facts.references[at]
    if (reference === undefined) continue
    for (const target of targets) {
      const symbol = index.get(keyOf(target.path, target.ordinal)) ?? -1
      const confidence = weigh(view, reference, target.confidence)
      const match = { reference, symbol, confidence }
      if (confidence > (all?.get(at)?.confidence ?? 0)) all?.set(at, match)
      if (symbol !== -1 && confidence > (matches.get(at)?.confidence ?? 0)) matches.set(at, match)
    }
  }
  return matches
}

/** What was told by the name alone is worth less where files that weren't read define it too. */
function weigh(view: CodeView, { name }: CodeReference, confidence: number): number {
  if (confidence >= sureConfidence) return confidence
  const rivals = new Set(view.definers(name).flatMap(({ path }) => (isHeader(path) ? [] : [path])))
    .size
  return rivals <= 1 ? confidence : rivals <= mostRivals ? Math.min(confidence, 0.3) : 0
}

function isSure(symbol: SymbolChange | undefined, confidence: number): boolean {
  return confidence >= (symbol?.change === 'added' ? leastOfAdded : leastConfidence)
}

/** A match as it is told. */
export function describeUse(
  path: string,
  facts: CodeFacts,
  match: Match,
  line: number,
  inChange: boolean,
): UseSite {
  const { reference, symbol, confidence } = match
  return {
    path,
    line,
    symbol,
    within: reference.within === -1 ? null : fullNameOf(facts, reference.within),
    kind: reference.kind,
    arguments: reference.arguments,
    inChange,
    isTest: isTestPath(path),
    confidence,
  }
}
