// Finds code in a diff or a file by its text. White space and blank lines don't count.
import type { DiffHunk, DiffSide, FileDiff } from '../../domain/diff.ts'
import { readQuote, removeWhitespace } from './read-quote.ts'

/** Where code stands: lines of one side, 1-based, inclusive. */
export interface CodeRange {
  readonly startLine: number
  readonly endLine: number
  /** The code there, normalised. */
  readonly text: string
}

export interface NumberedLine {
  readonly number: number
  readonly text: string
}

/** A piece of code as someone quoted it, and about where. */
export interface QuotedCode {
  readonly quote: string
  readonly side: DiffSide
  readonly startLine: number
}

/** A place for a quote. Of equal lines there can be a hundred thousand: the code there is read where it is wanted. */
export interface Match extends Omit<CodeRange, 'text'> {
  readonly readText: () => string
  /** The quote is all of these lines. */
  readonly isWhole: boolean
}

/** A quote of one line may be part of its line when it has at least so many characters. */
const minPartLength = 8

export function normalizeCode(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** The lines of one side of a hunk. */
export function listLines(hunk: DiffHunk, side: DiffSide): NumberedLine[] {
  return hunk.lines.flatMap((line) => {
    const number = side === 'RIGHT' ? line.newLine : line.oldLine
    return number === null ? [] : [{ number, text: line.text }]
  })
}

/** The place on its side of the diff where the quoted code stands, the nearest to the line that was named. */
export function findInDiff(file: FileDiff, quoted: QuotedCode): CodeRange | undefined {
  const parts = file.hunks.map((hunk) => toComparableLines(listLines(hunk, quoted.side)))
  return nearestMatch(findReading(parts, quoted), quoted.startLine)
}

/** The same in the lines of a whole file. */
export function findInLines(lines: readonly string[], quoted: QuotedCode): CodeRange | undefined {
  const numbered = lines.map((text, index) => ({ number: index + 1, text }))
  return nearestMatch(findReading([toComparableLines(numbered)], quoted), quoted.startLine)
}

function findReading(parts: readonly ComparableLine[][], { quote, side }: QuotedCode): Match[] {
  for (const reading of readQuote(quote)) {
    const places = parts.flatMap((lines) => matchLines(lines, reading[side]))
    if (places.length > 0) return places
  }
  return []
}

function nearestMatch(matches: readonly Match[], line: number): CodeRange | undefined {
  const match = findNearest(matches, line)
  return match && { startLine: match.startLine, endLine: match.endLine, text: match.readText() }
}

export function findNearest<Kind extends Pick<CodeRange, 'startLine'>>(
  places: readonly Kind[],
  line: number,
): Kind | undefined {
  const distance = (place: Kind) => Math.abs(place.startLine - line)
  return places.toSorted((a, b) => distance(a) - distance(b))[0]
}

/** The given lines as a place; undefined where there are none. */
export function toCodeRange(lines: readonly NumberedLine[]): CodeRange | undefined {
  const [first, last] = [lines[0], lines.at(-1)]
  if (!first || !last) return undefined
  return { startLine: first.number, endLine: last.number, text: normalizeLines(lines) }
}

function normalizeLines(lines: readonly NumberedLine[]): string {
  return lines.map((line) => normalizeCode(line.text)).join('\n')
}

/** Whether two places have a line in common. */
export function overlaps(
  a: Pick<CodeRange, 'startLine' | 'endLine'>,
  b: Pick<CodeRange, 'startLine' | 'endLine'>,
): boolean {
  return a.startLine <= b.endLine && b.startLine <= a.endLine
}

/** A line that isn't blank, and its text as quotes are compared. */
export interface ComparableLine {
  readonly line: NumberedLine
  readonly comparable: string
}

/** Makes lines ready for `matchLines`; blank ones don't count. */
export function toComparableLines(lines: readonly NumberedLine[]): ComparableLine[] {
  return lines.flatMap((line) => {
    const comparable = removeWhitespace(line.text)
    return comparable === '' ? [] : [{ line, comparable }]
  })
}

/** All places in consecutive lines where the wanted ones stand, see `QuoteReading`. */
export function matchLines(lines: readonly ComparableLine[], wanted: readonly string[]): Match[] {
  const [only] = wanted
  if (only === undefined) return []
  const mayBePart = wanted.length === 1 && only.length >= minPartLength
  return lines.flatMap(({ line, comparable: squeezed }, index) => {
    const isPart = mayBePart && squeezed.includes(only)
    const last = lines[index + wanted.length - 1]
    if ((!isPart && squeezed !== only) || last === undefined) return []
    if (!isPart && !wanted.every((text, at) => lines[index + at]!.comparable === text)) return []
    const readText = () =>
      normalizeLines(lines.slice(index, index + wanted.length).map((each) => each.line))
    return [
      { startLine: line.number, endLine: last.line.number, readText, isWhole: squeezed === only },
    ]
  })
}
