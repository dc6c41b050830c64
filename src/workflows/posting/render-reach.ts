// How the reach of a change reads in the summary: who uses it, what tests it, what else touches it. Pure.
import {
  type Caller,
  type ChangedSymbol,
  type ChangeGraph,
  type FileHistory,
  type RelatedPullRequest,
  sureConfidence,
} from '../../domain/change-graph.ts'
import { blotSecrets } from '../../lib/blot-secrets.ts'
import { codeSpan, neutralizeLine } from './neutralize.ts'

/** The section; its title stands in `<summary>`, where Markdown means nothing. */
export interface ReachSection {
  readonly title: string
  readonly lines: readonly string[]
}

/** Entries of a list, and callers of one symbol; the others are counted. */
const most = { symbols: 10, callers: 5, files: 10, pullRequests: 5, owners: 5, notes: 5 } as const
/** Of files that fewer reviewed pull requests touched nobody is said to know them. */
const leastTouches = 3
/** Longest path or name that is shown, in characters. */
const longestName = 160

/**
 * What readers are told of the reach of a change; undefined where there is nothing to tell. Users are named and not
 * called, pull requests numbered and not linked.
 *
 * @param author of the pull request, who needn't be told what they know
 * @param secrets our own, which nobody is to read here
 */
export function renderReach(
  graph: ChangeGraph,
  { author, secrets }: { author: string; secrets: readonly string[] },
): ReachSection | undefined {
  const say: Say = {
    code: (text) => codeSpan(cut(blotSecrets(text, secrets))),
    words: (text) => neutralizeLine(blotSecrets(text, secrets), { maxLength: 160 }),
  }
  const reach = [...listSymbols(graph, say), ...listTests(graph, say)]
  const past = [...listRelated(graph, say), ...listOwners(graph, author, say)]
  const notes = graph.notes.slice(0, most.notes).map((note) => `- ${say.words(note)}`)
  const lines = [...reach, ...past, ...notes]
  if (lines.length === 0) return undefined
  return { title: reach.length > 0 ? describeReach(graph) : past.length > 0 ? pastTitle : unknownTitle, lines }
}

const pastTitle = 'Reach: what is known of these files'
const unknownTitle = 'Reach: not known in full'

/** Ways to write what others wrote. */
interface Say {
  readonly code: (text: string) => string
  readonly words: (text: string) => string
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
  const isCallable = symbols.length === 0 || symbols.some(({ kind }) => kind === 'function' || kind === 'method')
  const users = told.length > 0 ? told.join(', ').replace(/, (?=[^,]*$)/, ' and ') : isCallable ? 'no caller' : 'no use'
  const least = told.length > 0 && counts.callers > callers.length ? 'at least ' : ''
  return `Reach: ${least}${users} outside this diff, ${counts.tests === 0 ? 'no test' : count(counts.tests, 'test')}`
}

function isSure({ confidence }: Caller): boolean {
  return confidence >= sureConfidence
}

function isCall({ kind }: Caller): boolean {
  return kind === 'call' || kind === 'new'
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}

const changes: Readonly<Record<ChangedSymbol['change'], string>> = {
  removed: 'removed',
  signature: 'signature changed',
  body: 'changed',
  added: 'new',
}
const telling = Object.keys(changes)

function listSymbols({ symbols, callers }: ChangeGraph, say: Say): string[] {
  const bySymbol = Map.groupBy(callers, ({ symbol }) => symbol)
  const used = symbols
    .map((symbol, index) => ({ symbol, uses: listPlaces(bySymbol.get(index) ?? []) }))
    .filter(({ uses }) => uses.length > 0)
    .sort((one, other) => telling.indexOf(one.symbol.change) - telling.indexOf(other.symbol.change))
  const lines = used.slice(0, most.symbols).map(({ symbol: { name, change }, uses }) => {
    const shown = uses.slice(0, most.callers).map((use) => renderUse(use, say))
    const isCalled = uses.every(isCall)
    return `- ${say.code(name)} (${changes[change]}) is ${isCalled ? 'called' : 'used'} in ${join(shown, uses.length)}`
  })
  const more = used.length - lines.length
  return more > 0 ? [...lines, `- and ${count(more, 'other changed definition')} in use elsewhere`] : lines
}

/**
 * Each place once, the surest first. That a file imports what it uses is said by the use; what tests use is said by the
 * list of tests.
 */
function listPlaces(uses: readonly Caller[]): Caller[] {
  const using = new Set(uses.filter(({ kind }) => kind !== 'import').map(({ path }) => path))
  const places = new Map<string, Caller>()
  for (const use of uses.toSorted((one, other) => rank(one) - rank(other))) {
    const place = `${use.line} ${use.path}`
    if (!use.isTest && !places.has(place) && (use.kind !== 'import' || !using.has(use.path))) places.set(place, use)
  }
  return [...places.values()]
}

function rank(use: Caller): number {
  return (isSure(use) ? 0 : 2) + (isCall(use) ? 0 : 1)
}

function renderUse(use: Caller, say: Say): string {
  const { path, line, within } = use
  const where = within === null ? '' : ` in ${say.code(within)}`
  return `${say.code(`${path}:${line}`)}${where}${isSure(use) ? '' : ' (possible)'}`
}

function listTests({ tests, untested, counts }: ChangeGraph, say: Say): string[] {
  const reaching = tests.slice(0, most.files).map(({ path }) => say.code(path))
  const missed = untested.slice(0, most.files).map(say.code)
  return [
    ...(reaching.length > 0 ? [`- Tests that reach it: ${join(reaching, counts.tests)}`] : []),
    ...(missed.length > 0 ? [`- No test seems to reach ${join(missed, untested.length)}`] : []),
  ]
}

/** Open ones that touch the same definitions, whatever they do to them, and earlier ones where something was found. */
function listRelated({ related, symbols }: ChangeGraph, say: Say): string[] {
  const isGone = (name: string) => {
    const named = symbols.filter((symbol) => symbol.name === name)
    return named.length > 0 && named.every(({ change }) => change === 'removed')
  }
  const colliding = related.filter(({ state, symbols }) => state === 'open' && symbols.length > 0)
  const telling = related.filter(({ state, findings }) => state !== 'open' && findings.length > 0)
  return [
    ...colliding.slice(0, most.pullRequests).map((each) => {
      const names = each.symbols.slice(0, most.callers)
      const shown = names.map((name) => `${say.code(name)}${isGone(name) ? ', which is removed here' : ''}`)
      return `- Open too: ${renderPullRequest(each, say)} touches ${join(shown, each.symbols.length)}`
    }),
    ...telling
      .slice(0, most.pullRequests)
      .map((each) => `- Before, in ${renderPullRequest(each, say)}: ${say.words(each.findings[0]!)}`),
  ]
}

/** As code: a reference would leave a trace on the other pull request with every review. */
function renderPullRequest({ number, title, author }: RelatedPullRequest, say: Say): string {
  return `${say.code(`#${number}`)} ${say.words(title)} (${say.code(author)})`
}

/** Who knows the files best that were touched most. */
function listOwners({ history }: ChangeGraph, author: string, say: Say): string[] {
  const known = history
    .filter((file): file is FileHistory & { owner: string } => file.owner !== null && file.touches >= leastTouches)
    .filter(({ owner }) => owner !== author)
    .toSorted((one, other) => other.touches - one.touches)
  const byOwner = [...Map.groupBy(known, ({ owner }) => owner)].slice(0, most.owners)
  return byOwner.map(([owner, files]) => {
    const shown = files
      .slice(0, 3)
      .map(({ path, ownerPercent }) => `${say.code(path)} (${Math.round(ownerPercent)} % of its changes)`)
    return `- ${say.code(owner)} knows ${join(shown, files.length)}`
  })
}

function join(shown: readonly string[], all: number): string {
  return all > shown.length ? `${shown.join(', ')} and ${all - shown.length} more` : shown.join(', ')
}

function cut(text: string): string {
  return text.length <= longestName ? text : `…${text.slice(-longestName).toWellFormed()}`
}
