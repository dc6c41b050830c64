// What the code graph and the memory tell about the files of a round: who uses what changed, what tests it, what
// happened there before, and what is remembered.
import type {
  AppliedMemory,
  CallSite,
  ChangedSymbol,
  ChangeGraph,
  FileHistory,
  RelatedPullRequest,
} from '../../domain/change-graph.ts'
import { minSureConfidence } from '../../domain/change-graph.ts'
import type { ContextSpan } from '../../reviewers/reviewer.ts'
import { describeArguments } from '../../reviewers/rules/describe-arguments.ts'
import type { CountTokens } from './count-tokens.ts'
import { type Entry, type EntryGroup, fillSpan } from './fill-span.ts'

/** What a round shows of the change. */
export interface ShownCode {
  /** Whether anything of a file is shown, by its path at the head or at the base. */
  readonly showsFile: (path: string) => boolean
  /** Whether a line of the head is shown. */
  readonly showsLine: (path: string, line: number) => boolean
}

type ShownChange = ShownCode & { readonly graph: ChangeGraph }

interface Part {
  readonly origin: string
  readonly trust: 'base_branch' | 'untrusted'
  /** Of the room for what stands beside the change, at most. What is left of it is for definitions. */
  readonly share: number
  readonly list: (shown: ShownChange) => readonly EntryGroup[]
}

/** In the order in which they stand in a round. */
const parts: readonly Part[] = [
  {
    origin: 'memories',
    trust: 'base_branch',
    share: 1 / 8,
    list: (shown) => listMemories(shown, true),
  },
  {
    origin: 'memories',
    trust: 'untrusted',
    share: 1 / 16,
    list: (shown) => listMemories(shown, false),
  },
  { origin: 'callers', trust: 'untrusted', share: 1 / 4, list: listCallers },
  { origin: 'tests', trust: 'untrusted', share: 1 / 20, list: listTests },
  { origin: 'related_pull_requests', trust: 'untrusted', share: 1 / 20, list: listRelated },
  { origin: 'file_history', trust: 'untrusted', share: 1 / 40, list: listHistory },
]

/** Longest line of code, title, memory, in characters; most uses of one symbol, and most entries of the other lists. */
const longest = { line: 160, title: 160, memory: 800, name: 120 } as const
const mostUses = 12
const mostListed = 20

/** The spans that tell it, none without anything to tell. @param room tokens for these and the definitions */
export function describeImpact(
  graph: ChangeGraph,
  places: ShownCode,
  room: number,
  measure: CountTokens,
): ContextSpan[] {
  const shown = { ...places, graph }
  return parts.flatMap((part) => fillSpan(part, part.list(shown), room * part.share, measure) ?? [])
}

const telling: readonly ChangedSymbol['change'][] = ['removed', 'signature', 'body', 'added']

/** Grouped by symbol: those first whose users may break. */
function listCallers({ graph, showsFile, showsLine }: ShownChange): EntryGroup[] {
  const bySymbol = Map.groupBy(graph.callers, ({ symbol }) => symbol)
  return graph.symbols
    .map((symbol, index) => ({ symbol, uses: bySymbol.get(index) ?? [] }))
    .filter(({ symbol }) => showsFile(symbol.path))
    .sort((one, other) => telling.indexOf(one.symbol.change) - telling.indexOf(other.symbol.change))
    .map(({ symbol, uses }) => {
      const wanted = orderUses(uses).filter(({ path, line }) => !showsLine(path, line))
      return {
        heading: `${describeSymbol(symbol)} is used outside of the changed lines:`,
        entries: wanted.slice(0, mostUses).map(describeUse),
        more: Math.max(0, wanted.length - mostUses),
      }
    })
}

/** Surest and most telling first. That a file imports what it uses anyway tells nothing. */
function orderUses(uses: readonly CallSite[]): CallSite[] {
  const using = new Set(uses.filter(({ kind }) => kind !== 'import').map(({ path }) => path))
  const rank = ({ kind, isTest, confidence }: CallSite) =>
    (confidence >= minSureConfidence ? 0 : 4) +
    (isTest ? 2 : 0) +
    (kind === 'call' || kind === 'new' ? 0 : 1)
  return uses
    .filter(({ kind, path }) => kind !== 'import' || !using.has(path))
    .sort((one, other) => rank(one) - rank(other))
}

const words: Readonly<Record<ChangedSymbol['change'], string>> = {
  added: 'is new',
  removed: 'is gone',
  signature: 'has another signature',
  body: 'changed inside',
}

function describeSymbol({
  name,
  kind,
  path,
  startLine,
  change,
  parameters,
  parametersBefore,
}: ChangedSymbol): string {
  const before = parametersBefore && describeArguments(parametersBefore)
  const now = parameters && describeArguments(parameters)
  const counts =
    change !== 'signature' || before === now
      ? ''
      : ` (took ${before ?? 'none'}, takes ${now ?? 'none'})`
  return `${kind} ${cut(name, longest.name)} of ${path}:${startLine} ${words[change]}${counts} and`
}

function describeUse({ path, line, within, text, isTest, confidence }: CallSite): Entry {
  const marks = [
    ...(confidence < minSureConfidence ? ['perhaps'] : []),
    ...(isTest ? ['test'] : []),
  ]
  const place = within === null ? '' : ` in ${cut(within, longest.name)}:`
  const mark = marks.length === 0 ? '' : ` [${marks.join(', ')}]`
  return {
    text: `${path}:${line}:${place} ${cutCode(text)}${mark}`,
    lines: { path, side: 'RIGHT', start: line, end: line },
  }
}

function listTests({ graph, showsFile }: ShownChange): EntryGroup[] {
  const reaching = graph.tests.flatMap(({ path, distance, reaches }) => {
    const reached = reaches.filter(showsFile)
    const steps = distance <= 1 ? 'directly' : `over ${distance - 1} other files`
    return reached.length === 0 ? [] : [{ text: `${path} reaches ${reached.join(', ')} ${steps}` }]
  })
  return [
    { heading: 'Tests that reach it, nearest first:', ...first(reaching) },
    {
      heading: 'No test reaches, as far as calls and imports tell:',
      ...first(graph.untested.filter(showsFile).map((text) => ({ text }))),
    },
  ]
}

function listRelated({ graph, showsFile }: ShownChange): EntryGroup[] {
  const touching = graph.related.filter(({ paths }) => paths.some(showsFile))
  const isOpen = ({ state }: RelatedPullRequest) => state === 'open'
  return [
    {
      heading: 'Open pull requests that touch the same:',
      ...first(touching.filter(isOpen).map(describeRelated)),
    },
    {
      heading: 'Earlier pull requests in these files:',
      ...first(touching.filter((each) => !isOpen(each)).map(describeRelated)),
    },
  ]
}

function describeRelated({
  number,
  title,
  author,
  state,
  paths,
  symbols,
  findings,
}: RelatedPullRequest): Entry {
  const same =
    symbols.length > 0
      ? `; touches ${symbols.map((name) => cut(name, longest.name)).join(', ')} too`
      : ''
  const found = findings.map((each) => `\n  found there: ${cut(each, longest.title)}`)
  const about = `#${number} (${state}) by ${cut(author, longest.name)}: ${cut(title, longest.title)}`
  return { text: `${about}; in ${paths.join(', ')}${same}${found.join('')}` }
}

function listHistory({ graph, showsFile }: ShownChange): EntryGroup[] {
  return [
    first(
      graph.history
        .filter(({ path, pullRequests: touches }) => touches > 0 && showsFile(path))
        .map(describeHistory),
    ),
  ]
}

function describeHistory({
  path,
  pullRequests: touches,
  riskScore,
  owner,
  ownerPercent,
}: FileHistory): Entry {
  const risk = riskScore > 0 ? `, ${riskScore} of them with changes requested` : ''
  const known =
    owner === null ? '' : `; mostly by ${cut(owner, longest.name)} (${Math.round(ownerPercent)} %)`
  return { text: `${path}: touched by ${touches} reviewed pull requests${risk}${known}` }
}

/** What people wrote stands apart: only that is no stranger's word. */
function listMemories({ graph, showsFile }: ShownChange, byPeople: boolean): EntryGroup[] {
  const named = graph.memories
    .map((memory, index) => ({ memory, name: `M${index + 1}` }))
    .filter(({ memory }) => (memory.trust === 'person') === byPeople)
  // The most particular first: what is about a file that is shown.
  const isNear = ({ memory: { path } }: (typeof named)[number]) => path !== null && showsFile(path)
  const ordered = named.toSorted((one, other) => Number(isNear(other)) - Number(isNear(one)))
  return [first(ordered.map(({ memory, name }) => describeMemory(memory, name)))]
}

function describeMemory(memory: AppliedMemory, name: string): Entry {
  const about = memory.path === null ? '' : ` about ${memory.path}`
  const kind = memory.type.replaceAll('_', ' ')
  return {
    text: `${name} (${kind}${about}): ${cut(memory.text, longest.memory)}`,
    citable: { name, citation: { id: memory.id, text: memory.text } },
  }
}

function first(entries: readonly Entry[]): Pick<EntryGroup, 'entries' | 'more'> {
  return { entries: entries.slice(0, mostListed), more: Math.max(0, entries.length - mostListed) }
}

/** A line of code as it stands, so long at most. */
function cutCode(text: string): string {
  const code = text.trim()
  return code.length <= longest.line ? code : `${code.slice(0, longest.line).toWellFormed()}…`
}

/** On one line, so long at most. */
function cut(text: string, length: number): string {
  const line = text
    .slice(0, 4 * length)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length <= length ? line : `${line.slice(0, length).toWellFormed()}…`
}
