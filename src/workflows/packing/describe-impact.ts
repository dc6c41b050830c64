// Describes the impact of a change for a round: users, tests, history, related work, memories.

import { describeArguments } from '../../code/describe-arguments.ts'
import type {
  CallSite,
  ChangedSymbol,
  ChangeGraph,
  FileHistory,
  RelatedPullRequest,
} from '../../domain/change-graph.ts'
import { minSureConfidence } from '../../domain/change-graph.ts'
import type { AppliedMemory } from '../../domain/memory.ts'
import type { ContextSpan } from '../../reviewers/packed-context.ts'
import type { CountTokens } from './count-tokens.ts'
import { type Entry, type EntryGroup, fillSpan } from './fill-span.ts'

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
  /** Maximum share of the tokens for context. The rest is for definitions. */
  readonly share: number
  readonly list: (shown: ShownChange) => readonly EntryGroup[]
}

/** The spans have this order in a round. */
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

/** Lengths are in characters. */
const maxLength = { line: 160, title: 160, memory: 800, name: 120 } as const
/** Lists show this many uses of one symbol, and entries of other kinds. */
const maxUses = 12
const maxEntries = 20

/** @param maxTokens for these spans and the definitions */
export function describeImpact(
  graph: ChangeGraph,
  shownCode: ShownCode,
  maxTokens: number,
  measure: CountTokens,
): ContextSpan[] {
  const shown = { ...shownCode, graph }
  return parts.flatMap(
    (part) => fillSpan(part, part.list(shown), maxTokens * part.share, measure) ?? [],
  )
}

/** The changes that are most likely to break users come first. */
const changesByRisk: readonly ChangedSymbol['change'][] = ['removed', 'signature', 'body', 'added']

function listCallers({ graph, showsFile, showsLine }: ShownChange): EntryGroup[] {
  const bySymbol = Map.groupBy(graph.callers, ({ symbol }) => symbol)
  return graph.symbols
    .map((symbol, index) => ({ symbol, uses: bySymbol.get(index) ?? [] }))
    .filter(({ symbol }) => showsFile(symbol.path))
    .sort((one, other) => rankChange(one.symbol) - rankChange(other.symbol))
    .map(({ symbol, uses }) => {
      const wanted = orderUses(uses).filter(({ path, line }) => !showsLine(path, line))
      return {
        heading: `${describeSymbol(symbol)} is used outside of the changed lines:`,
        entries: wanted.slice(0, maxUses).map(describeUse),
        more: Math.max(0, wanted.length - maxUses),
      }
    })
}

function rankChange({ change }: ChangedSymbol): number {
  return changesByRisk.indexOf(change)
}

/** Sorts calls that are sure first. Imports are left out in files that also use the symbol. */
function orderUses(uses: readonly CallSite[]): CallSite[] {
  const usingPaths = new Set(uses.filter(({ kind }) => kind !== 'import').map(({ path }) => path))
  const rank = ({ kind, isTest, confidence }: CallSite) =>
    (confidence >= minSureConfidence ? 0 : 4) +
    (isTest ? 2 : 0) +
    (kind === 'call' || kind === 'new' ? 0 : 1)
  return uses
    .filter(({ kind, path }) => kind !== 'import' || !usingPaths.has(path))
    .sort((one, other) => rank(one) - rank(other))
}

const changeDescriptions: Readonly<Record<ChangedSymbol['change'], string>> = {
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
  const location = `${kind} ${cut(name, maxLength.name)} of ${path}:${startLine}`
  return `${location} ${changeDescriptions[change]}${counts} and`
}

function describeUse({ path, line, within, text, isTest, confidence }: CallSite): Entry {
  const marks = [
    ...(confidence < minSureConfidence ? ['perhaps'] : []),
    ...(isTest ? ['test'] : []),
  ]
  const enclosing = within === null ? '' : ` in ${cut(within, maxLength.name)}:`
  const mark = marks.length === 0 ? '' : ` [${marks.join(', ')}]`
  return {
    text: `${path}:${line}:${enclosing} ${cutCode(text)}${mark}`,
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
    { heading: 'Tests that reach it, nearest first:', ...limit(reaching) },
    {
      heading: 'No test reaches, as far as calls and imports show:',
      ...limit(graph.untested.filter(showsFile).map((text) => ({ text }))),
    },
  ]
}

function listRelated({ graph, showsFile }: ShownChange): EntryGroup[] {
  const touching = graph.related.filter(({ paths }) => paths.some(showsFile))
  const isOpen = ({ state }: RelatedPullRequest) => state === 'open'
  return [
    {
      heading: 'Open pull requests that touch the same:',
      ...limit(touching.filter(isOpen).map(describeRelated)),
    },
    {
      heading: 'Earlier pull requests in these files:',
      ...limit(touching.filter((each) => !isOpen(each)).map(describeRelated)),
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
  const names = symbols.map((name) => cut(name, maxLength.name)).join(', ')
  const same = symbols.length > 0 ? `; touches ${names} too` : ''
  const found = findings.map((each) => `\n  found there: ${cut(each, maxLength.title)}`)
  const by = `by ${cut(author, maxLength.name)}`
  const about = `#${number} (${state}) ${by}: ${cut(title, maxLength.title)}`
  return { text: `${about}; in ${paths.join(', ')}${same}${found.join('')}` }
}

function listHistory({ graph, showsFile }: ShownChange): EntryGroup[] {
  return [
    limit(
      graph.history
        .filter(({ path, pullRequests }) => pullRequests > 0 && showsFile(path))
        .map(describeHistory),
    ),
  ]
}

function describeHistory({
  path,
  pullRequests,
  riskScore,
  owner,
  ownerPercent,
}: FileHistory): Entry {
  const risk = riskScore > 0 ? `, ${riskScore} of them with changes requested` : ''
  const known =
    owner === null ? '' : `; mostly by ${cut(owner, maxLength.name)} (${Math.round(ownerPercent)}%)`
  return { text: `${path}: touched by ${pullRequests} reviewed pull requests${risk}${known}` }
}

/** Memories by people get their own span, because only they are trusted. */
function listMemories({ graph, showsFile }: ShownChange, byPeople: boolean): EntryGroup[] {
  const named = graph.memories
    .map((memory, index) => ({ memory, name: `M${index + 1}` }))
    .filter(({ memory }) => (memory.trust === 'person') === byPeople)
  // Memories about a file that is shown come first.
  const isNear = ({ memory: { path } }: (typeof named)[number]) => path !== null && showsFile(path)
  const ordered = named.toSorted((one, other) => Number(isNear(other)) - Number(isNear(one)))
  return [limit(ordered.map(({ memory, name }) => describeMemory(memory, name)))]
}

function describeMemory(memory: AppliedMemory, name: string): Entry {
  const about = memory.path === null ? '' : ` about ${memory.path}`
  const kind = memory.type.replaceAll('_', ' ')
  return {
    text: `${name} (${kind}${about}): ${cut(memory.text, maxLength.memory)}`,
    citable: { name, citation: { id: memory.id, text: memory.text } },
  }
}

function limit(entries: readonly Entry[]): Pick<EntryGroup, 'entries' | 'more'> {
  return { entries: entries.slice(0, maxEntries), more: Math.max(0, entries.length - maxEntries) }
}

/** Keeps the white space inside of a line of code. */
function cutCode(text: string): string {
  const code = text.trim()
  return code.length <= maxLength.line ? code : `${code.slice(0, maxLength.line).toWellFormed()}…`
}

/** Puts text on one line of at most `length` characters. */
function cut(text: string, length: number): string {
  const line = text
    .slice(0, 4 * length)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length <= length ? line : `${line.slice(0, length).toWellFormed()}…`
}
