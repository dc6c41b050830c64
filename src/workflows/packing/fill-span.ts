// Fills a span of the context with short entries under headings, as many as its room takes.
import type { Citable, ContextSpan, ShownLines } from '../../reviewers/reviewer.ts'
import type { CountTokens } from './count-tokens.ts'

/** One thing that is told, mostly a line. */
export interface Entry {
  readonly text: string
  /** The line of a file that stands in it. */
  readonly lines?: ShownLines
  readonly citable?: Citable
}

/** Entries that belong together, most telling first. */
export interface EntryGroup {
  /** None where the entries need none. */
  readonly heading?: string
  readonly entries: readonly Entry[]
  /** How many more there are that aren't among the entries; undefined where nobody is to be told of any. */
  readonly more?: number
}

/** What a line end and a count of what is left out take. */
const tokensOfEnd = 1
const tokensOfRest = 6

/**
 * A span of as many entries as fit, in their order; undefined where none does.
 *
 * @param most tokens that it may take
 */
export function fillSpan(
  { origin, trust }: Pick<ContextSpan, 'origin' | 'trust'>,
  groups: readonly EntryGroup[],
  most: number,
  measure: CountTokens,
): ContextSpan | undefined {
  const written: string[] = []
  const told: Entry[] = []
  let tokens = 0
  for (const { heading, entries, more } of groups) {
    let cost =
      (more === undefined ? 0 : tokensOfRest) +
      (heading === undefined ? 0 : measure(heading) + tokensOfEnd)
    const fitting = entries.filter(({ text }) => {
      const own = measure(text) + tokensOfEnd
      if (tokens + cost + own > most) return false
      cost += own
      return true
    })
    if (fitting.length === 0) continue
    const rest = more === undefined ? 0 : entries.length - fitting.length + more
    if (heading !== undefined) written.push(heading)
    written.push(...fitting.map(({ text }) => text), ...(rest > 0 ? [`and ${rest} more`] : []))
    told.push(...fitting)
    tokens += cost
  }
  if (told.length === 0) return undefined
  const lines = told.flatMap((entry) => entry.lines ?? [])
  const citable = told.flatMap((entry) => entry.citable ?? [])
  return {
    origin,
    trust,
    path: null,
    text: written.join('\n'),
    tokens,
    ...(lines.length > 0 && { lines }),
    ...(citable.length > 0 && { citable }),
  }
}
