// Finds the lines of a file's diff that a proposal quotes, whatever line and side it names.
import type { DiffHunk, DiffSide, FileDiff } from '../domain/diff.ts'
import type { ProposedFinding } from '../domain/finding.ts'
import { linesOf, type Match, matchLines } from './find-place.ts'
import { type QuoteReading, readQuote } from './read-quote.ts'

/** What a proposal says about where its code stands. */
export type Named = Pick<ProposedFinding, 'side' | 'startLine' | 'endLine' | 'quote'>

/** The lines that a proposal means. */
export interface Found extends Match {
  readonly side: DiffSide
  /** No other lines could be meant as well. */
  readonly isClear: boolean
}

interface Candidate extends Match {
  readonly side: DiffSide
  /** How far it is from what was named. */
  readonly cost: number
}

/** So many lines farther away may a place be that is on the side that was named. */
const costOfOtherSide = 20
/** The same for a place whose line is just what was quoted. */
const costOfPart = 4
/** Of a shorter run of a quote nobody could tell where it is from. */
const fewestTelling = 12
/** Quotes of more lines are found whole or not at all. */
const maxLinesInPart = 40

const sides: readonly DiffSide[] = ['RIGHT', 'LEFT']

/**
 * The lines that are quoted: on either side, the nearest to the lines that were named; of a quote that isn't in the
 * diff as a whole, the longest run of its lines, at least half of them. Undefined where there is nothing of it.
 */
export function findQuote(file: FileDiff, named: Named): Found | undefined {
  const readings = readQuote(named.quote)
  for (const reading of readings) {
    const found = chooseNearest(listCandidates(file, named, reading), reading)
    if (found) return found
  }
  for (const reading of readings) {
    const found = findLongestRun(file, named, reading)
    if (found) return found
  }
  return undefined
}

function listCandidates(file: FileDiff, named: Named, reading: QuoteReading): Candidate[] {
  return file.hunks.flatMap((hunk) => {
    const [right = [], left = []] = sides.map((side) => matchLines(linesOf(hunk, side), reading[side]))
    const oldLines = contextLines(hunk)
    // Lines that both sides have are meant as lines of the head, under either number.
    const isSame = (a: Match, b: Match) =>
      oldLines.get(b.startLine) === a.startLine && oldLines.get(b.endLine) === a.endLine
    return [
      ...right.map((match) => {
        const costs = [
          costOf(named, 'RIGHT', match),
          ...left.filter((other) => isSame(other, match)).map((other) => costOf(named, 'LEFT', other)),
        ]
        return { ...match, side: 'RIGHT' as const, cost: Math.min(...costs) }
      }),
      ...left
        .filter((match) => !right.some((other) => isSame(match, other)))
        .map((match) => ({ ...match, side: 'LEFT' as const, cost: costOf(named, 'LEFT', match) })),
    ]
  })
}

/** The old numbers of context lines by their new ones. */
function contextLines(hunk: DiffHunk): Map<number, number> {
  return new Map(
    hunk.lines.flatMap(({ oldLine, newLine }) => (oldLine !== null && newLine !== null ? [[newLine, oldLine]] : [])),
  )
}

function costOf(named: Named, side: DiffSide, { startLine, isWhole }: Match): number {
  const distance = Math.max(0, named.startLine - startLine, startLine - named.endLine)
  return distance + (side === named.side ? 0 : costOfOtherSide) + (isWhole ? 0 : costOfPart)
}

function chooseNearest(candidates: readonly Candidate[], reading: QuoteReading): Found | undefined {
  const [best, next] = candidates.toSorted((a, b) => a.cost - b.cost || a.startLine - b.startLine)
  if (best === undefined) return undefined
  const { cost, ...match } = best
  const isNear = next !== undefined && next.cost > 2 * cost && (cost === 0 || isTelling(reading[match.side]))
  return { ...match, isClear: next === undefined || isNear }
}

/** Whether code says more than how a block ends. */
function isTelling(lines: readonly string[]): boolean {
  return /[\p{L}\p{N}_$]{3}/u.test(lines.join('')) && lines.join('').length >= fewestTelling
}

function findLongestRun(file: FileDiff, named: Named, reading: QuoteReading): Found | undefined {
  const most = Math.max(reading.LEFT.length, reading.RIGHT.length)
  if (most > maxLinesInPart) return undefined
  for (let length = most - 1; length >= Math.max(1, most / 2); length--) {
    for (let from = 0; from + length <= most; from++) {
      const run = { LEFT: reading.LEFT.slice(from, from + length), RIGHT: reading.RIGHT.slice(from, from + length) }
      const whole = listCandidates(file, named, keepTelling(run, length))
      const found = chooseNearest(whole, run)
      if (found) return { ...found, isWhole: false }
    }
  }
  return undefined
}

/** A run that is cut short by the end of its side, or says nothing, finds nothing. */
function keepTelling(run: QuoteReading, length: number): QuoteReading {
  const keep = (lines: readonly string[]) => (lines.length === length && isTelling(lines) ? lines : [])
  return { LEFT: keep(run.LEFT), RIGHT: keep(run.RIGHT) }
}
