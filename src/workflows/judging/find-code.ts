// Finds code in a diff or a file by its text, ignoring white space and blank lines.
import type { DiffHunk, DiffSide, FileDiff } from '../../domain/diff.ts'
import { readQuote, removeWhitespace } from './read-quote.ts'

/** Lines of one side of a diff, 1-based, inclusive. */
export interface CodeRange {
  readonly startLine: number
  readonly endLine: number
  /** The code of these lines, normalized. */
  readonly text: string
}

export interface NumberedLine {
  readonly number: number
  readonly text: string
}

/** Code as a reviewer quoted it, and the line that it named. */
export interface QuotedCode {
  readonly quote: string
  readonly side: DiffSide
  readonly startLine: number
}

/** Text is read lazily, because a quote can match 100,000 equal lines. */
export interface Match extends Omit<CodeRange, 'text'> {
  readonly readText: () => string
  /** The quote is the whole of these lines, not a part of one. */
  readonly isWhole: boolean
}

/** A shorter quote must be a whole line. In characters. */
const minPartLength = 8

export function normalizeCode(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

export function listLines(hunk: DiffHunk, side: DiffSide): NumberedLine[] {
  return hunk.lines.flatMap((line) => {
    const number = side === 'RIGHT' ? line.newLine : line.oldLine
    return number === null ? [] : [{ number, text: line.text }]
  })
}

/** Returns the match on the quote's side of the diff that is nearest to the named line. */
export function findInDiff(file: FileDiff, quoted: QuotedCode): CodeRange | undefined {
  const blocks = file.hunks.map((hunk) => toComparableLines(listLines(hunk, quoted.side)))
  return findNearestMatch(matchQuote(blocks, quoted), quoted.startLine)
}

/** Returns the match in the lines of a whole file that is nearest to the named line. */
export function findInLines(lines: readonly string[], quoted: QuotedCode): CodeRange | undefined {
  const numbered = lines.map((text, index) => ({ number: index + 1, text }))
  return findNearestMatch(matchQuote([toComparableLines(numbered)], quoted), quoted.startLine)
}

function matchQuote(blocks: readonly ComparableLine[][], { quote, side }: QuotedCode): Match[] {
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

export function findNearest<Kind extends Pick<CodeRange, 'startLine'>>(
  ranges: readonly Kind[],
  line: number,
): Kind | undefined {
  const distance = (range: Kind) => Math.abs(range.startLine - line)
  return ranges.toSorted((a, b) => distance(a) - distance(b))[0]
}

/** Returns undefined for no lines. */
export function toCodeRange(lines: readonly NumberedLine[]): CodeRange | undefined {
  const [first, last] = [lines[0], lines.at(-1)]
  if (!first || !last) return undefined
  return { startLine: first.number, endLine: last.number, text: normalizeLines(lines) }
}

function normalizeLines(lines: readonly NumberedLine[]): string {
  return lines.map((line) => normalizeCode(line.text)).join('\n')
}

/** Whether two ranges have a line in common. */
export function overlaps(
  a: Pick<CodeRange, 'startLine' | 'endLine'>,
  b: Pick<CodeRange, 'startLine' | 'endLine'>,
): boolean {
  return a.startLine <= b.endLine && b.startLine <= a.endLine
}

export interface ComparableLine {
  readonly line: NumberedLine
  /** Has no white space. */
  readonly comparable: string
}

/** Prepares lines for `matchLines`, without blank ones. */
export function toComparableLines(lines: readonly NumberedLine[]): ComparableLine[] {
  return lines.flatMap((line) => {
    const comparable = removeWhitespace(line.text)
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
