// What people are told of the reach of a change, out of all that the code graph knows about it. Pure.
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

/** Entries of a list, and callers of one symbol; the others are counted. */
const most = {
  symbols: 10,
  callers: 5,
  files: 10,
  pullRequests: 5,
  owners: 5,
  ownedFiles: 3,
  notes: 5,
} as const
/** Of files that fewer reviewed pull requests touched nobody is said to know them. */
const leastTouches = 3
/** Longest path or name, and longest sentence, in characters. */
const longest = { name: 160, words: 500 } as const

/**
 * Null where there is nothing to tell.
 *
 * @param author of the pull request, who needn't be told what they know
 * @param secrets our own, which nobody is to read here
 */
export function summarizeImpact(
  graph: ChangeGraph,
  { author, secrets }: { author: string; secrets: readonly string[] },
): Impact | null {
  const clean: Clean = {
    name: (text) => cutStart(storable(redactKnownSecrets(text, secrets))),
    words: (text) =>
      storable(redactKnownSecrets(text, secrets)).slice(0, longest.words).toWellFormed(),
  }
  const around = {
    symbols: listSymbols(graph, clean),
    tests: take(graph.tests, most.files, ({ path }) => clean.name(path), graph.counts.tests),
    untested: take(graph.untested, most.files, clean.name),
  }
  const past = {
    open: listOpen(graph, clean),
    earlier: listEarlier(graph.related, clean),
    owners: listOwners(graph, author, clean),
  }
  const notes = graph.notes.slice(0, most.notes).map(clean.words)
  const reaches = Object.values(around).some(({ shown }) => shown.length > 0)
  const isPastKnown = Object.values(past).some((list) => list.length > 0)
  if (!reaches && !isPastKnown && notes.length === 0) return null
  const title = reaches
    ? describeReach(graph)
    : isPastKnown
      ? 'what is known of these files'
      : 'not known in full'
  return { title, ...around, ...past, notes }
}

/** Ways to show what others wrote. */
interface Clean {
  readonly name: (text: string) => string
  readonly words: (text: string) => string
}

/** JSON in the database takes no NUL. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/** The end tells more than the beginning. */
function cutStart(text: string): string {
  return text.length <= longest.name ? text : `…${text.slice(-longest.name).toWellFormed()}`
}

function take<Item, Told>(
  items: readonly Item[],
  count: number,
  tell: (item: Item) => Told,
  total = items.length,
): TruncatedList<Told> {
  return { total, shown: items.slice(0, count).map(tell) }
}

/** Callers are places that surely call something of the change; types and constants have users, and tests are told apart. */
function describeReach({ symbols, callers, counts }: ChangeGraph): string {
  const places = [...Map.groupBy(callers, ({ symbol }) => symbol).values()].flatMap(listPlaces)
  const byPlace = [...Map.groupBy(places, ({ path, line }) => `${line} ${path}`).values()]
  const sure = byPlace.filter((uses) => uses.some(isSure))
  const calls = sure.filter((uses) => uses.some((use) => isSure(use) && isCall(use))).length
  const others = sure.length - calls
  const possible = byPlace.length - sure.length
  const told = [
    ...(calls > 0 ? [count(calls, 'caller')] : []),
    ...(others > 0 ? [count(others, calls > 0 ? 'other use' : 'use')] : []),
    ...(possible > 0 ? [count(possible, 'possible use')] : []),
  ]
  const isCallable =
    symbols.length === 0 || symbols.some(({ kind }) => kind === 'function' || kind === 'method')
  const users =
    told.length > 0
      ? told.join(', ').replace(/, (?=[^,]*$)/, ' and ')
      : isCallable
        ? 'no caller'
        : 'no use'
  const least = told.length > 0 && counts.callers > callers.length ? 'at least ' : ''
  return `${least}${users} outside this diff, ${counts.tests === 0 ? 'no test' : count(counts.tests, 'test')}`
}

function isSure({ confidence }: CallSite): boolean {
  return confidence >= minSureConfidence
}

function isCall({ kind }: CallSite): boolean {
  return kind === 'call' || kind === 'new'
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}

const telling: readonly ChangedSymbol['change'][] = ['removed', 'signature', 'body', 'added']

function listSymbols({ symbols, callers }: ChangeGraph, clean: Clean): TruncatedList<ImpactSymbol> {
  const bySymbol = Map.groupBy(callers, ({ symbol }) => symbol)
  const used = symbols
    .map((symbol, index) => ({ symbol, uses: listPlaces(bySymbol.get(index) ?? []) }))
    .filter(({ uses }) => uses.length > 0)
    .sort((one, other) => telling.indexOf(one.symbol.change) - telling.indexOf(other.symbol.change))
  return take(used, most.symbols, ({ symbol: { name, path, startLine, change }, uses }) => ({
    name: clean.name(name),
    path: clean.name(path),
    line: startLine,
    change,
    called: uses.every(isCall),
    uses: take(uses, most.callers, (use) => ({
      path: clean.name(use.path),
      line: use.line,
      within: use.within === null ? null : clean.name(use.within),
      sure: isSure(use),
    })),
  }))
}

/**
 * Each place once, the surest first. That a file imports what it uses is said by the use; what tests use is said by the
 * list of tests.
 */
function listPlaces(uses: readonly CallSite[]): CallSite[] {
  const using = new Set(uses.filter(({ kind }) => kind !== 'import').map(({ path }) => path))
  const places = new Map<string, CallSite>()
  for (const use of uses.toSorted((one, other) => rank(one) - rank(other))) {
    const place = `${use.line} ${use.path}`
    if (!use.isTest && !places.has(place) && (use.kind !== 'import' || !using.has(use.path)))
      places.set(place, use)
  }
  return [...places.values()]
}

function rank(use: CallSite): number {
  return (isSure(use) ? 0 : 2) + (isCall(use) ? 0 : 1)
}

function nameNeighbour({ number, title, author }: RelatedPullRequest, clean: Clean) {
  return { number, title: clean.words(title), author: clean.name(author) }
}

/** Open ones that touch the same definitions, whatever they do to them. */
function listOpen({ related, symbols }: ChangeGraph, clean: Clean): Impact['open'] {
  const isGone = (name: string) => {
    const named = symbols.filter((symbol) => symbol.name === name)
    return named.length > 0 && named.every(({ change }) => change === 'removed')
  }
  const colliding = related.filter(({ state, symbols }) => state === 'open' && symbols.length > 0)
  return colliding.slice(0, most.pullRequests).map((each) => ({
    ...nameNeighbour(each, clean),
    symbols: take(each.symbols, most.callers, (name) => ({
      name: clean.name(name),
      removed: isGone(name),
    })),
  }))
}

function listEarlier(related: readonly RelatedPullRequest[], clean: Clean): Impact['earlier'] {
  return related
    .filter(({ state, findings }) => state !== 'open' && findings.length > 0)
    .slice(0, most.pullRequests)
    .map((each) => ({ ...nameNeighbour(each, clean), finding: clean.words(each.findings[0]!) }))
}

function listOwners({ history }: ChangeGraph, author: string, clean: Clean): Impact['owners'] {
  const known = history
    .filter(
      (file): file is FileHistory & { owner: string } =>
        file.owner !== null && file.pullRequests >= leastTouches,
    )
    .filter(({ owner }) => owner !== author)
    .toSorted((one, other) => other.pullRequests - one.pullRequests)
  const byOwner = [...Map.groupBy(known, ({ owner }) => owner)].slice(0, most.owners)
  return byOwner.map(([owner, files]) => ({
    login: clean.name(owner),
    files: take(files, most.ownedFiles, ({ path, ownerPercent }) => ({
      path: clean.name(path),
      percent: Math.round(ownerPercent),
    })),
  }))
}
