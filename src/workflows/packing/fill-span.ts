// Fills a span of the context with as many short entries as fit.
import type { Citable, ContextSpan, ShownLines } from '../../reviewers/packed-context.ts'
import type { CountTokens } from './count-tokens.ts'

export interface Entry {
  readonly text: string
  /** Identifies the line of a file that the entry shows. */
  readonly lines?: ShownLines
  readonly citable?: Citable
}

/** Entries that belong together, the most important first. */
export interface EntryGroup {
  readonly heading?: string
  readonly entries: readonly Entry[]
  /** Number of further entries. If undefined, the text doesn't mention left-out entries. */
  readonly more?: number
}

/** Estimated tokens of a line end, and of the line that counts left-out entries. */
const tokensOfLineEnd = 1
const tokensOfMoreLine = 6

/** Returns a span of the entries that fit, in their order; undefined if none does. */
export function fillSpan(
  { origin, trust }: Pick<ContextSpan, 'origin' | 'trust'>,
  groups: readonly EntryGroup[],
  maxTokens: number,
  measure: CountTokens,
): ContextSpan | undefined {
  const texts: string[] = []
  const shown: Entry[] = []
  let tokens = 0
  for (const group of groups) {
    const { fitting, cost } = chooseFitting(group, maxTokens - tokens, measure)
    if (fitting.length === 0) continue
    texts.push(...writeGroup(group, fitting))
    shown.push(...fitting)
    tokens += cost
  }
  if (shown.length === 0) return undefined
  const lines = shown.flatMap((entry) => entry.lines ?? [])
  const citable = shown.flatMap((entry) => entry.citable ?? [])
  return {
    origin,
    trust,
    path: null,
    text: texts.join('\n'),
    tokens,
    ...(lines.length > 0 && { lines }),
    ...(citable.length > 0 && { citable }),
  }
}

function chooseFitting(
  { heading, entries, more }: EntryGroup,
  maxTokens: number,
  measure: CountTokens,
): { fitting: Entry[]; cost: number } {
  let cost = more === undefined ? 0 : tokensOfMoreLine
  if (heading !== undefined) cost += measure(heading) + tokensOfLineEnd
  const fitting = entries.filter(({ text }) => {
    const tokens = measure(text) + tokensOfLineEnd
    if (cost + tokens > maxTokens) return false
    cost += tokens
    return true
  })
  return { fitting, cost }
}

function writeGroup({ heading, entries, more }: EntryGroup, fitting: readonly Entry[]): string[] {
  const rest = more === undefined ? 0 : entries.length - fitting.length + more
  return [
    ...(heading === undefined ? [] : [heading]),
    ...fitting.map(({ text }) => text),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ]
}
