// Describes ranges of lines on one side of a diff and their code.
import type { DiffHunk, DiffSide } from '../../domain/diff.ts'

/** Lines of one side of a diff, 1-based, inclusive. */
export interface LineRange {
  readonly startLine: number
  readonly endLine: number
}

export interface CodeRange extends LineRange {
  /** The code of these lines, normalized. */
  readonly text: string
}

export interface NumberedLine {
  readonly number: number
  readonly text: string
}

export function normalizeCode(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

export function normalizeLines(lines: readonly NumberedLine[]): string {
  return lines.map((line) => normalizeCode(line.text)).join('\n')
}

export function listLines(hunk: DiffHunk, side: DiffSide): NumberedLine[] {
  return hunk.lines.flatMap((line) => {
    const number = side === 'RIGHT' ? line.newLine : line.oldLine
    return number === null ? [] : [{ number, text: line.text }]
  })
}

/** Returns undefined for no lines. */
export function toCodeRange(lines: readonly NumberedLine[]): CodeRange | undefined {
  const [first, last] = [lines[0], lines.at(-1)]
  if (!first || !last) return undefined
  return { startLine: first.number, endLine: last.number, text: normalizeLines(lines) }
}

/** Returns the range that starts nearest to the line. */
export function findNearest<Range extends Pick<LineRange, 'startLine'>>(
  ranges: readonly Range[],
  line: number,
): Range | undefined {
  const distance = (range: Range) => Math.abs(range.startLine - line)
  return ranges.toSorted((a, b) => distance(a) - distance(b))[0]
}

/** Whether two ranges have a line in common. */
export function overlaps(a: LineRange, b: LineRange): boolean {
  return a.startLine <= b.endLine && b.startLine <= a.endLine
}
