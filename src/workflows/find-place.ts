// Finds code in a diff or a file by its text. Spaces and blank lines don't count.
import type { DiffHunk, DiffSide, FileDiff } from '../domain/diff.ts'

/** Where code stands: lines of one side, 1-based, inclusive. */
export interface Place {
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
export interface Quoted {
  readonly quote: string
  readonly side: DiffSide
  readonly startLine: number
}

export function normalizeCode(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** The lines of one side of a hunk. */
export function linesOf(hunk: DiffHunk, side: DiffSide): NumberedLine[] {
  return hunk.lines.flatMap((line) => {
    const number = side === 'RIGHT' ? line.newLine : line.oldLine
    return number === null ? [] : [{ number, text: line.text }]
  })
}

/** The place in the diff where the quoted code stands, the nearest to the line that was named. */
export function findInDiff(file: FileDiff, quoted: Quoted): Place | undefined {
  const places = file.hunks.flatMap((hunk) => matchQuote(linesOf(hunk, quoted.side), quoted.quote))
  return nearestPlace(places, quoted.startLine)
}

/** The same in the lines of a whole file. */
export function findInLines(lines: readonly string[], quoted: Quoted): Place | undefined {
  const numbered = lines.map((text, index) => ({ number: index + 1, text }))
  return nearestPlace(matchQuote(numbered, quoted.quote), quoted.startLine)
}

export function nearestPlace(places: readonly Place[], line: number): Place | undefined {
  const distance = (place: Place) => Math.abs(place.startLine - line)
  return places.toSorted((a, b) => distance(a) - distance(b))[0]
}

/** The given lines as a place; undefined where there are none. */
export function placeOf(lines: readonly NumberedLine[]): Place | undefined {
  const [first, last] = [lines[0], lines.at(-1)]
  if (!first || !last) return undefined
  const text = lines.map((line) => normalizeCode(line.text)).join('\n')
  return { startLine: first.number, endLine: last.number, text }
}

function matchQuote(lines: readonly NumberedLine[], quote: string): Place[] {
  const wanted = filledLines(quote.split('\n').map((text, number) => ({ number, text })))
  const filled = filledLines(lines)
  if (wanted.length === 0) return []
  const isOnly = wanted.length === 1
  return filled.flatMap((first, index) => {
    if (index + wanted.length > filled.length || !matchesQuoted(first.text, wanted[0]!.text, isOnly)) return []
    const window = filled.slice(index, index + wanted.length)
    const place = window.every((line, at) => isOnly || line.text === wanted[at]!.text) ? placeOf(window) : undefined
    return place ? [place] : []
  })
}

/** A quote of one line may be part of its line; in a longer one each line must be whole. */
function matchesQuoted(line: string, quoted: string, isOnly: boolean): boolean {
  return isOnly && quoted.length >= 8 ? line.includes(quoted) : line === quoted
}

function filledLines(lines: readonly NumberedLine[]): NumberedLine[] {
  return lines.map(({ number, text }) => ({ number, text: normalizeCode(text) })).filter((line) => line.text !== '')
}
