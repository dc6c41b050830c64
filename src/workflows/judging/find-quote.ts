// Finds the lines of a diff that a candidate quotes, also if it names other lines or another side.
import type { DiffSide, FileDiff } from '../../domain/diff.ts'
import type { ProposedFinding } from '../../domain/finding.ts'
import { type CodeRange, listLines } from './code-range.ts'
import {
  type ComparableLine,
  type Match,
  matchLines,
  type QuotedCode,
  toComparableLines,
} from './match-code.ts'
import { type QuoteReading, readQuote } from './read-quote.ts'

type QuotedRange = QuotedCode & Pick<ProposedFinding, 'endLine'>

export interface QuotedLines extends CodeRange, Pick<Match, 'isWhole'> {
  readonly side: DiffSide
  /** No other lines may be meant. */
  readonly isClear: boolean
}

interface Candidate extends Match {
  readonly side: DiffSide
  /** Distance from the named lines, in lines. */
  readonly distance: number
  /** Adds penalties to the distance. */
  readonly cost: number
}

/** Line numbers by models are often wrong by up to this many lines. */
const maxDrift = 10
/** Code on the other side is only meant up to this many lines from the named ones. */
const maxOtherSideDistance = 20
/** The penalties are in lines of distance. */
const otherSidePenalty = 20
const partialLinePenalty = 4
/** A part of a quote with fewer characters matches by chance. */
const minDistinctiveLength = 12
/** Longer quotes are not searched for by their parts. */
const maxLinesForParts = 20

export interface SearchableHunk {
  readonly lines: Readonly<Record<DiffSide, readonly ComparableLine[]>>
  /** The same as sets, which exclude most quotes at once. */
  readonly texts: Readonly<Record<DiffSide, ReadonlySet<string>>>
  /** The old numbers of context lines by their new ones. */
  readonly oldLines: ReadonlyMap<number, number>
  /** The old numbers of deleted lines. */
  readonly deleted: ReadonlySet<number>
}

/** Prepares a file's diff for `findQuote`. */
export function toSearchableHunks(file: FileDiff): SearchableHunk[] {
  return file.hunks.map((hunk) => {
    const lines = {
      RIGHT: toComparableLines(listLines(hunk, 'RIGHT')),
      LEFT: toComparableLines(listLines(hunk, 'LEFT')),
    }
    const textsOf = (side: DiffSide) => new Set(lines[side].map(({ comparable }) => comparable))
    const context = hunk.lines.flatMap(({ oldLine, newLine }) =>
      oldLine !== null && newLine !== null ? [[newLine, oldLine] as const] : [],
    )
    const deleted = hunk.lines.flatMap(({ kind, oldLine }) =>
      kind === 'deleted' ? [oldLine!] : [],
    )
    return {
      lines,
      texts: { RIGHT: textsOf('RIGHT'), LEFT: textsOf('LEFT') },
      oldLines: new Map(context),
      deleted: new Set(deleted),
    }
  })
}

/**
 * Finds the quoted lines on either side, the nearest to the named lines. If the quote isn't in the
 * diff as a whole, finds the longest run of its lines, at least half of them.
 */
export function findQuote(
  hunks: readonly SearchableHunk[],
  named: QuotedRange,
): QuotedLines | undefined {
  const readings = readQuote(named.quote)
  for (const reading of readings) {
    const found = chooseNearest(listCandidates(hunks, named, reading), named)
    if (found) return found
  }
  for (const reading of readings) {
    const found = findLongestRun(hunks, named, reading)
    if (found) return found
  }
  return undefined
}

function listCandidates(
  hunks: readonly SearchableHunk[],
  named: QuotedRange,
  reading: QuoteReading,
): Candidate[] {
  return hunks.flatMap((hunk) => {
    const right = matchSide(hunk, 'RIGHT', reading)
    const left = matchSide(hunk, 'LEFT', reading)
    // Unchanged lines count as lines of the head, whether their new or old number was named.
    const toKey = (start: number | undefined, end: number | undefined) => `${start} ${end}`
    const leftByRange = new Map(left.map((match) => [toKey(match.startLine, match.endLine), match]))
    const unchanged = new Set<Match>()
    return [
      ...right.map((match) => {
        const oldStart = hunk.oldLines.get(match.startLine)
        const oldEnd = hunk.oldLines.get(match.endLine)
        const other = leftByRange.get(toKey(oldStart, oldEnd))
        if (other !== undefined) unchanged.add(other)
        const distances = [
          measureDistance(named, 'RIGHT', match),
          ...(other ? [measureDistance(named, 'LEFT', other)] : []),
        ]
        const nearest = distances.toSorted((a, b) => a.cost - b.cost)[0]!
        return { ...match, side: 'RIGHT' as const, ...nearest }
      }),
      ...left
        .filter((match) => !unchanged.has(match))
        .map((match) => ({
          ...match,
          side: 'LEFT' as const,
          ...measureDistance(named, 'LEFT', match),
        })),
    ]
  })
}

function matchSide(
  { lines, texts }: SearchableHunk,
  side: DiffSide,
  reading: QuoteReading,
): Match[] {
  const wanted = reading[side]
  const mayMatch = wanted.length === 1 || wanted.every((line) => texts[side].has(line))
  return mayMatch ? matchLines(lines[side], wanted) : []
}

function measureDistance(
  named: QuotedRange,
  side: DiffSide,
  { startLine, isWhole }: Match,
): { distance: number; cost: number } {
  const distance = Math.max(0, named.startLine - startLine, startLine - named.endLine)
  return {
    distance,
    cost:
      distance + (side === named.side ? 0 : otherSidePenalty) + (isWhole ? 0 : partialLinePenalty),
  }
}

function chooseNearest(
  candidates: readonly Candidate[],
  named: QuotedRange,
): QuotedLines | undefined {
  const [best, ...others] = candidates.toSorted(
    (a, b) => a.cost - b.cost || a.startLine - b.startLine,
  )
  if (best === undefined) return undefined
  const { cost, distance, readText, ...match } = best
  const isNamed = cost === 0 && others.every((other) => other.cost > 0)
  const isAlone = distance <= maxDrift && others.every((other) => other.distance > maxDrift)
  const isOtherSide = best.side !== named.side && best.cost >= otherSidePenalty
  const isReachable = !isOtherSide || distance <= maxOtherSideDistance
  const isClear = isReachable && (others.length === 0 || isNamed || isAlone)
  return { ...match, text: readText(), isClear }
}

/** Whether code is more than the brackets at the end of a block. */
function isDistinctive(lines: readonly string[]): boolean {
  const text = lines.join('')
  return /[\p{L}\p{N}_$]{3}/u.test(text) && text.length >= minDistinctiveLength
}

function findLongestRun(
  hunks: readonly SearchableHunk[],
  named: QuotedRange,
  reading: QuoteReading,
): QuotedLines | undefined {
  const lineCount = Math.max(reading.LEFT.length, reading.RIGHT.length)
  if (lineCount > maxLinesForParts) return undefined
  for (let length = lineCount - 1; length >= Math.max(1, lineCount / 2); length--) {
    for (let from = 0; from + length <= lineCount; from++) {
      const run = {
        LEFT: reading.LEFT.slice(from, from + length),
        RIGHT: reading.RIGHT.slice(from, from + length),
      }
      const found = chooseNearest(listCandidates(hunks, named, dropIndistinct(run, length)), named)
      if (found) return { ...found, isWhole: false }
    }
  }
  return undefined
}

/**
 * Empties a side whose run is shorter than `length` or not distinctive, so that it matches nothing.
 */
function dropIndistinct(run: QuoteReading, length: number): QuoteReading {
  const filter = (lines: readonly string[]) =>
    lines.length === length && isDistinctive(lines) ? lines : []
  return { LEFT: filter(run.LEFT), RIGHT: filter(run.RIGHT) }
}
