// Reads a quote as code: as it is, or without line numbers and markers copied from a diff.
import { markSecrets } from '../../code/find-secrets.ts'
import type { DiffSide } from '../../domain/diff.ts'

/** The non-blank lines of a quote on each side of the diff, without white space. */
export type QuoteReading = Readonly<Record<DiffSide, readonly string[]>>

const maxQuoteLines = 200

const oneNumber = /^\s*\d{1,7}(?:[\s|:]+|$)/
const twoNumbers = /^\s*(?:\d{1,7}(?:[\s|:]+|$)){2}/
const marker = /^\s*[+-]/

/** Removes all white space, because models don't copy it exactly. */
export function removeWhitespace(text: string): string {
  return text.replace(/\s+/g, '')
}

/** Lists the possible readings of a quote, the most literal first. A blank quote has none. */
export function readQuote(quote: string): QuoteReading[] {
  const lines = markSecrets(quote)
    .split('\n')
    .slice(0, maxQuoteLines)
    .filter((line) => line.trim() !== '')
  const withoutNumbers = [oneNumber, twoNumbers].flatMap((pattern) => removeNumbers(lines, pattern))
  const readings = [lines, ...withoutNumbers]
    .flatMap((each) => [{ LEFT: each, RIGHT: each }, ...removeMarkers(each)])
    .map(({ LEFT, RIGHT }) => ({ LEFT: toComparable(LEFT), RIGHT: toComparable(RIGHT) }))
  return readings.filter(({ LEFT, RIGHT }) => LEFT.length + RIGHT.length > 0)
}

function toComparable(lines: readonly string[]): string[] {
  return lines.map(removeWhitespace).filter((line) => line !== '')
}

/** Models are shown diffs with line numbers before all lines or some. */
function removeNumbers(lines: readonly string[], pattern: RegExp): string[][] {
  if (!lines.some((line) => pattern.test(line))) return []
  return [lines.map((line) => line.replace(pattern, ''))]
}

/** Deleted lines are left out on the right side, added ones on the left. */
function removeMarkers(lines: readonly string[]): Record<DiffSide, string[]>[] {
  if (!lines.some((line) => marker.test(line))) return []
  const without = (otherSide: RegExp) =>
    lines.filter((line) => !otherSide.test(line)).map((line) => line.replace(marker, ''))
  return [{ LEFT: without(/^\s*\+/), RIGHT: without(/^\s*-/) }]
}
