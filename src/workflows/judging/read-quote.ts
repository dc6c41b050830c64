// What code a quote means: as it stands, or without the numbers and markers that models copy along from a diff.
import type { DiffSide } from '../../domain/diff.ts'

/** The lines of a quote that hold anything, squeezed, as they should stand on each side. */
export type QuoteReading = Readonly<Record<DiffSide, readonly string[]>>

/** Longer quotes are cut. */
const maxQuotedLines = 200

const oneNumber = /^\s*\d{1,7}(?:[\s|:]+|$)/
const twoNumbers = /^\s*(?:\d{1,7}(?:[\s|:]+|$)){2}/
const marker = /^\s*[+-]/

/** Code without any white space: how models space what they copy says nothing. */
export function removeWhitespace(text: string): string {
  return text.replace(/\s+/g, '')
}

/** The ways to read a quote, the most literal first. None where it holds nothing. */
export function readQuote(quote: string): QuoteReading[] {
  const lines = quote
    .split('\n')
    .slice(0, maxQuotedLines)
    .filter((line) => line.trim() !== '')
  const readings = [
    lines,
    ...[oneNumber, twoNumbers].flatMap((numbers) => withoutNumbers(lines, numbers) ?? []),
  ]
    .flatMap((each) => [{ LEFT: each, RIGHT: each }, ...withoutMarkers(each)])
    .map(({ LEFT, RIGHT }) => ({ LEFT: fill(LEFT), RIGHT: fill(RIGHT) }))
  return readings.filter(({ LEFT, RIGHT }) => LEFT.length + RIGHT.length > 0)
}

function fill(lines: readonly string[]): string[] {
  return lines.map(removeWhitespace).filter((line) => line !== '')
}

/** Diffs are shown with numbers before all lines or some. */
function withoutNumbers(lines: readonly string[], numbers: RegExp): string[][] {
  return lines.some((line) => numbers.test(line))
    ? [lines.map((line) => line.replace(numbers, ''))]
    : []
}

/** Deleted lines are not on the right, added ones not on the left. */
function withoutMarkers(lines: readonly string[]): Record<DiffSide, string[]>[] {
  if (!lines.some((line) => marker.test(line))) return []
  const keep = (other: RegExp) =>
    lines.filter((line) => !other.test(line)).map((line) => line.replace(marker, ''))
  return [{ LEFT: keep(/^\s*\+/), RIGHT: keep(/^\s*-/) }]
}
