// How the reach of a change reads in the summary: who uses it, what tests it, what else touches it. Pure.
import {
  type Caller,
  type ChangedSymbol,
  type ChangeGraph,
  type FileHistory,
  type RelatedPullRequest,
  sureConfidence,
} from '../../domain/change-graph.ts'
import { blotSecrets } from './blot-secrets.ts'
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

function describeReach({ counts }: ChangeGraph): string {
  const callers = counts.callers === 0 ? 'no caller' : count(counts.callers, 'caller')
  const reaching = counts.tests === 0 ? 'no test' : count(counts.tests, 'test')
  return `Reach: ${callers} outside this diff, ${reaching}`
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
    return `- ${say.code(name)} (${changes[change]}) is used in ${join(shown, uses.length)}`
  })
  const more = used.length - lines.length
  return more > 0 ? [...lines, `- and ${count(more, 'other changed definition')} in use elsewhere`] : lines
}

/** Each place once, the surest first, programs before tests. That a file imports what it calls is said by the call. */
function listPlaces(uses: readonly Caller[]): Caller[] {
  const calling = new Set(uses.filter(({ kind }) => kind !== 'import').map(({ path }) => path))
  const places = new Map<string, Caller>()
  for (const use of uses.toSorted((one, other) => rank(one) - rank(other))) {
    const place = `${use.line} ${use.path}`
    if (!places.has(place) && (use.kind !== 'import' || !calling.has(use.path))) places.set(place, use)
  }
  return [...places.values()]
}

function rank({ confidence, isTest }: Caller): number {
  return (confidence < sureConfidence ? 2 : 0) + (isTest ? 1 : 0)
}

function renderUse({ path, line, within, confidence }: Caller, say: Say): string {
  const where = within === null ? '' : ` in ${say.code(within)}`
  return `${say.code(`${path}:${line}`)}${where}${confidence < sureConfidence ? ' (possible)' : ''}`
}

function listTests({ tests, untested, counts }: ChangeGraph, say: Say): string[] {
  const reaching = tests.slice(0, most.files).map(({ path }) => say.code(path))
  const missed = untested.slice(0, most.files).map(say.code)
  return [
    ...(reaching.length > 0 ? [`- Tests that reach it: ${join(reaching, counts.tests)}`] : []),
    ...(missed.length > 0 ? [`- No test seems to reach ${join(missed, untested.length)}`] : []),
  ]
}

/** Open ones that change the same definitions, and earlier ones where something was found. */
function listRelated({ related }: ChangeGraph, say: Say): string[] {
  const colliding = related.filter(({ state, symbols }) => state === 'open' && symbols.length > 0)
  const telling = related.filter(({ state, findings }) => state !== 'open' && findings.length > 0)
  return [
    ...colliding.slice(0, most.pullRequests).map((each) => {
      const names = each.symbols.slice(0, most.callers).map(say.code)
      return `- Open too: ${renderPullRequest(each, say)} changes ${join(names, each.symbols.length)}`
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
