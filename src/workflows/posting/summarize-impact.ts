// Summarizes what the code graph knows about the impact of a change, for the summary and the page.
import {
  type CallSite,
  type ChangedSymbol,
  type ChangeGraph,
  type FileHistory,
  minSureConfidence,
  type RelatedPullRequest,
} from '../../domain/change-graph.ts'
import type { Impact, ImpactSymbol, TruncatedList } from '../../domain/impact.ts'
import { redactKnownSecrets } from '../../lib/redact-known-secrets.ts'
import { formatCount, joinWithAnd } from '../../lib/text.ts'

/** Lists show this many entries and count the others. `callers` are those of one symbol. */
const maxEntries = {
  symbols: 10,
  callers: 5,
  files: 10,
  pullRequests: 5,
  owners: 5,
  ownedFiles: 3,
  notes: 5,
} as const

/** An owner is only named for files with at least this many reviewed pull requests. */
const minPullRequestsOfOwner = 3

/** Lengths are in characters. */
const maxNameLength = 160
const maxTextLength = 500

/**
 * Returns null where there is nothing to report.
 *
 * @param author of the pull request, who is left out of the owners
 * @param secrets our own, which are redacted
 */
export function summarizeImpact(
  graph: ChangeGraph,
  { author, secrets }: { author: string; secrets: readonly string[] },
): Impact | null {
  const clean = createCleaner(secrets)
  const { files } = maxEntries
  const present = {
    symbols: listSymbols(graph, clean),
    tests: truncate(graph.tests, files, ({ path }) => clean.name(path), graph.counts.tests),
    untested: truncate(graph.untested, files, clean.name),
  }
  const past = {
    open: listOpen(graph, clean),
    earlier: listEarlier(graph.related, clean),
    owners: listOwners(graph, author, clean),
  }
  const notes = graph.notes.slice(0, maxEntries.notes).map(clean.text)
  const isPresentKnown = Object.values(present).some(({ shown }) => shown.length > 0)
  const isPastKnown = Object.values(past).some((list) => list.length > 0)
  if (!isPresentKnown && !isPastKnown && notes.length === 0) return null
  let title = 'not known in full'
  if (isPastKnown) title = 'what is known of these files'
  if (isPresentKnown) title = describeUsers(graph)
  return { title, ...present, ...past, notes }
}

/** Redacts and truncates untrusted text. */
interface Cleaner {
  readonly name: (text: string) => string
  readonly text: (text: string) => string
}

function createCleaner(secrets: readonly string[]): Cleaner {
  const redact = (text: string) => toStorable(redactKnownSecrets(text, secrets))
  return {
    name: (text) => truncateStart(redact(text)),
    text: (text) => redact(text).slice(0, maxTextLength).toWellFormed(),
  }
}

/** PostgreSQL accepts no NUL in JSON. */
function toStorable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/** Keeps the end, because it distinguishes paths better than the beginning. */
function truncateStart(text: string): string {
  return text.length <= maxNameLength ? text : `…${text.slice(-maxNameLength).toWellFormed()}`
}

function truncate<Item, Shown>(
  items: readonly Item[],
  maxCount: number,
  toShown: (item: Item) => Shown,
  total = items.length,
): TruncatedList<Shown> {
  return { total, shown: items.slice(0, maxCount).map(toShown) }
}

/**
 * Callers are lines that surely call something of the change; types and constants are used instead.
 * Tests are counted separately.
 */
function describeUsers({ symbols, callers, counts }: ChangeGraph): string {
  const uses = describeUses(callers)
  const tests =
    counts.tests === 0
      ? 'no test covers it'
      : `${formatCount(counts.tests, 'test covers', 'tests cover')} it`
  if (uses !== '') {
    const isTruncated = counts.callers > callers.length
    return `${isTruncated ? 'at least ' : ''}${uses} outside this change, and ${tests}`
  }
  const isCallable =
    symbols.length === 0 || symbols.some(({ kind }) => kind === 'function' || kind === 'method')
  return `nothing outside this change ${isCallable ? 'calls' : 'uses'} it, and ${tests}`
}

/** Returns text such as `2 callers, 1 other use and 1 possible use`; empty without any. */
function describeUses(callers: readonly CallSite[]): string {
  const bySymbol = Map.groupBy(callers, ({ symbol }) => symbol)
  const uses = [...bySymbol.values()].flatMap(listUniqueUses)
  const byLine = [...Map.groupBy(uses, ({ path, line }) => `${line} ${path}`).values()]
  const sure = byLine.filter((onLine) => onLine.some(isSure))
  const callCount = sure.filter((onLine) => onLine.some((use) => isSure(use) && isCall(use))).length
  const otherCount = sure.length - callCount
  const possibleCount = byLine.length - sure.length
  const parts = [
    ...(callCount > 0 ? [formatCount(callCount, 'caller')] : []),
    ...(otherCount > 0 ? [formatCount(otherCount, callCount > 0 ? 'other use' : 'use')] : []),
    ...(possibleCount > 0 ? [formatCount(possibleCount, 'possible use')] : []),
  ]
  return joinWithAnd(parts)
}

function isSure({ confidence }: CallSite): boolean {
  return confidence >= minSureConfidence
}

function isCall({ kind }: CallSite): boolean {
  return kind === 'call' || kind === 'new'
}

/** The changes that are most likely to break users come first. */
const changesByRisk: readonly ChangedSymbol['change'][] = ['removed', 'signature', 'body', 'added']

function listSymbols(
  { symbols, callers }: ChangeGraph,
  clean: Cleaner,
): TruncatedList<ImpactSymbol> {
  const bySymbol = Map.groupBy(callers, ({ symbol }) => symbol)
  const rankChange = ({ change }: ChangedSymbol) => changesByRisk.indexOf(change)
  const used = symbols
    .map((symbol, index) => ({ symbol, uses: listUniqueUses(bySymbol.get(index) ?? []) }))
    .filter(({ uses }) => uses.length > 0)
    .sort((one, other) => rankChange(one.symbol) - rankChange(other.symbol))
  return truncate(used, maxEntries.symbols, ({ symbol, uses }) => ({
    name: clean.name(symbol.name),
    path: clean.name(symbol.path),
    line: symbol.startLine,
    change: symbol.change,
    called: uses.every(isCall),
    uses: truncate(uses, maxEntries.callers, (use) => ({
      path: clean.name(use.path),
      line: use.line,
      within: use.within === null ? null : clean.name(use.within),
      sure: isSure(use),
    })),
  }))
}

/**
 * Lists the uses outside of tests, one per line, the surest first. Imports are left out in files
 * that also use the symbol.
 */
function listUniqueUses(uses: readonly CallSite[]): CallSite[] {
  const usingPaths = new Set(uses.filter(({ kind }) => kind !== 'import').map(({ path }) => path))
  const unique = new Map<string, CallSite>()
  for (const use of uses.toSorted((one, other) => rankUse(one) - rankUse(other))) {
    const location = `${use.line} ${use.path}`
    const isRedundantImport = use.kind === 'import' && usingPaths.has(use.path)
    if (!use.isTest && !isRedundantImport && !unique.has(location)) unique.set(location, use)
  }
  return [...unique.values()]
}

function rankUse(use: CallSite): number {
  return (isSure(use) ? 0 : 2) + (isCall(use) ? 0 : 1)
}

function describePullRequest({ number, title, author }: RelatedPullRequest, clean: Cleaner) {
  return { number, title: clean.text(title), author: clean.name(author) }
}

/** Lists open pull requests that change the same definitions. */
function listOpen({ related, symbols }: ChangeGraph, clean: Cleaner): Impact['open'] {
  const isRemoved = (name: string) => {
    const named = symbols.filter((symbol) => symbol.name === name)
    return named.length > 0 && named.every(({ change }) => change === 'removed')
  }
  const colliding = related.filter(({ state, symbols }) => state === 'open' && symbols.length > 0)
  return colliding.slice(0, maxEntries.pullRequests).map((pullRequest) => ({
    ...describePullRequest(pullRequest, clean),
    symbols: truncate(pullRequest.symbols, maxEntries.callers, (name) => ({
      name: clean.name(name),
      removed: isRemoved(name),
    })),
  }))
}

function listEarlier(related: readonly RelatedPullRequest[], clean: Cleaner): Impact['earlier'] {
  return related
    .filter(({ state, findings }) => state !== 'open' && findings.length > 0)
    .slice(0, maxEntries.pullRequests)
    .map((pullRequest) => ({
      ...describePullRequest(pullRequest, clean),
      finding: clean.text(pullRequest.findings[0]!),
    }))
}

function listOwners({ history }: ChangeGraph, author: string, clean: Cleaner): Impact['owners'] {
  const owned = history
    .filter(
      (file): file is FileHistory & { owner: string } =>
        file.owner !== null && file.pullRequests >= minPullRequestsOfOwner,
    )
    .filter(({ owner }) => owner !== author)
    .toSorted((one, other) => other.pullRequests - one.pullRequests)
  const byOwner = [...Map.groupBy(owned, ({ owner }) => owner)].slice(0, maxEntries.owners)
  return byOwner.map(([owner, files]) => ({
    login: clean.name(owner),
    files: truncate(files, maxEntries.ownedFiles, ({ path, ownerPercent }) => ({
      path: clean.name(path),
      percent: Math.round(ownerPercent),
    })),
  }))
}
