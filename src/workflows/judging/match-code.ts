// Matches quoted code with lines, ignoring white space and blank lines.
import { markSecrets } from '../../code/find-secrets.ts'
import type { DiffSide, FileDiff } from '../../domain/diff.ts'
import {
  type CodeRange,
  findNearest,
  type LineRange,
  listLines,
  type NumberedLine,
  normalizeLines,
} from './code-range.ts'
import { readQuote, removeWhitespace } from './read-quote.ts'

/** Code as a reviewer quoted it, and the line that it named. */
export interface QuotedCode {
  readonly quote: string
  readonly side: DiffSide
  readonly startLine: number
}

/** Text is read lazily, because a quote can match 100,000 equal lines. */
export interface Match extends LineRange {
  readonly readText: () => string
  /** The quote is the whole of these lines, not a part of one. */
  readonly isWhole: boolean
}

/** A shorter quote must be a whole line. In characters. */
const minPartLength = 8

/** Returns the match on the quote's side of the diff that is nearest to the named line. */
export function findInDiff(file: FileDiff, quoted: QuotedCode): CodeRange | undefined {
  const blocks = file.hunks.map((hunk) => toComparableLines(listLines(hunk, quoted.side)))
  return findNearestMatch(matchQuote(blocks, quoted), quoted.startLine)
}

/** Returns the match in the lines of a whole file that is nearest to the named line. */
export function findInLines(
  lines: readonly ComparableLine[],
  quoted: QuotedCode,
): CodeRange | undefined {
  return findNearestMatch(matchQuote([lines], quoted), quoted.startLine)
}

function matchQuote(
  blocks: readonly (readonly ComparableLine[])[],
  { quote, side }: QuotedCode,
): Match[] {
  for (const reading of readQuote(quote)) {
    const matches = blocks.flatMap((lines) => matchLines(lines, reading[side]))
    if (matches.length > 0) return matches
  }
  return []
}

function findNearestMatch(matches: readonly Match[], line: number): CodeRange | undefined {
  const match = findNearest(matches, line)
  return match && { startLine: match.startLine, endLine: match.endLine, text: match.readText() }
}

export interface ComparableLine {
  readonly line: NumberedLine
  /** Has no white space. */
  readonly comparable: string
}

/** Prepares lines for `matchLines`, without blank ones. Models quote secrets by their marks. */
export function toComparableLines(lines: readonly NumberedLine[]): ComparableLine[] {
  const shown = markSecrets(lines.map(({ text }) => text).join('\n')).split('\n')
  return lines.flatMap((line, index) => {
    const comparable = removeWhitespace(shown[index]!)
    return comparable === '' ? [] : [{ line, comparable }]
  })
}

/** Finds all runs of lines that equal the wanted ones. `wanted` is a side of a `QuoteReading`. */
export function matchLines(lines: readonly ComparableLine[], wanted: readonly string[]): Match[] {
  const [only] = wanted
  if (only === undefined) return []
  const mayBePart = wanted.length === 1 && only.length >= minPartLength
  return lines.flatMap(({ line, comparable }, index) => {
    const last = lines[index + wanted.length - 1]
    if (last === undefined) return []
    const isPart = mayBePart && comparable.includes(only)
    const isEqual = wanted.every((text, at) => lines[index + at]!.comparable === text)
    if (!isPart && !isEqual) return []
    const readText = () =>
      normalizeLines(lines.slice(index, index + wanted.length).map((each) => each.line))
    const isWhole = comparable === only
    return [{ startLine: line.number, endLine: last.line.number, readText, isWhole }]
  })
}
