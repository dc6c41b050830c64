// Finds the lines of a file's diff that a proposal quotes, whatever line and side it names.
import type { DiffSide, FileDiff } from '../../domain/diff.ts'
import type { ProposedFinding } from '../../domain/finding.ts'
import {
  type CodeRange,
  type ComparableLine,
  listLines,
  type Match,
  matchLines,
  toComparableLines,
} from './find-code.ts'
import { type QuoteReading, readQuote } from './read-quote.ts'

/** What a proposal says about where its code stands. */
export type QuotingProposal = Pick<ProposedFinding, 'side' | 'startLine' | 'endLine' | 'quote'>

/** The lines that a proposal means. */
export interface QuotedLines extends CodeRange, Pick<Match, 'isWhole'> {
  readonly side: DiffSide
  /** No other lines could be meant as well. */
  readonly isClear: boolean
}

interface Candidate extends Match {
  readonly side: DiffSide
  /** From the lines that were named, in lines. */
  readonly distance: number
  /** The same, with what else speaks against it. */
  readonly cost: number
}

/** Lines by which the numbers that models name are commonly wrong. */
const maxDrift = 10
/** So many lines farther away may a place be that is on the side that was named. */
const costOfOtherSide = 20
/** The same for a place whose line is just what was quoted. */
const costOfPart = 4
/** Of a shorter run of a quote nobody could tell where it is from. */
const fewestTelling = 12
/** Quotes of more lines are found whole or not at all. */
const maxLinesInPart = 20

/** A hunk made ready to be searched many times. */
export interface SearchableHunk {
  readonly lines: Readonly<Record<DiffSide, readonly ComparableLine[]>>
  /** The same as a set: most of what is looked for isn't there at all. */
  readonly texts: Readonly<Record<DiffSide, ReadonlySet<string>>>
  /** The old numbers of context lines by their new ones. */
  readonly oldLines: ReadonlyMap<number, number>
}

/** Makes a file's diff ready for `findQuote`. */
export function toSearchableHunks(file: FileDiff): SearchableHunk[] {
  return file.hunks.map((hunk) => {
    const lines = {
      RIGHT: toComparableLines(listLines(hunk, 'RIGHT')),
      LEFT: toComparableLines(listLines(hunk, 'LEFT')),
    }
    const textsOf = (side: DiffSide) =>
      new Set(lines[side].map(({ comparable: squeezed }) => squeezed))
    const context = hunk.lines.flatMap(({ oldLine, newLine }) =>
      oldLine !== null && newLine !== null ? [[newLine, oldLine] as const] : [],
    )
    return {
      lines,
      texts: { RIGHT: textsOf('RIGHT'), LEFT: textsOf('LEFT') },
      oldLines: new Map(context),
    }
  })
}

/**
 * The lines that are quoted: on either side, the nearest to the lines that were named; of a quote that isn't in the
 * diff as a whole, the longest run of its lines, at least half of them. Undefined where there is nothing of it.
 */
export function findQuote(
  hunks: readonly SearchableHunk[],
  named: QuotingProposal,
): QuotedLines | undefined {
  const readings = readQuote(named.quote)
  for (const reading of readings) {
    const found = chooseNearest(listCandidates(hunks, named, reading))
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
  named: QuotingProposal,
  reading: QuoteReading,
): Candidate[] {
  return hunks.flatMap((hunk) => {
    const right = matchSide(hunk, 'RIGHT', reading)
    const left = matchSide(hunk, 'LEFT', reading)
    // Lines that both sides have are meant as lines of the head, under either number.
    const nameOld = (start: number | undefined, end: number | undefined) => `${start} ${end}`
    const lefts = new Map(left.map((match) => [nameOld(match.startLine, match.endLine), match]))
    const same = new Set<Match>()
    return [
      ...right.map((match) => {
        const other = lefts.get(
          nameOld(hunk.oldLines.get(match.startLine), hunk.oldLines.get(match.endLine)),
        )
        if (other !== undefined) same.add(other)
        const numbers = [
          measure(named, 'RIGHT', match),
          ...(other ? [measure(named, 'LEFT', other)] : []),
        ]
        return {
          ...match,
          side: 'RIGHT' as const,
          ...numbers.toSorted((a, b) => a.cost - b.cost)[0]!,
        }
      }),
      ...left
        .filter((match) => !same.has(match))
        .map((match) => ({ ...match, side: 'LEFT' as const, ...measure(named, 'LEFT', match) })),
    ]
  })
}

function matchSide(
  { lines, texts }: SearchableHunk,
  side: DiffSide,
  reading: QuoteReading,
): Match[] {
  const wanted = reading[side]
  const mayStand = wanted.length === 1 || wanted.every((line) => texts[side].has(line))
  return mayStand ? matchLines(lines[side], wanted) : []
}

function measure(
  named: QuotingProposal,
  side: DiffSide,
  { startLine, isWhole }: Match,
): { distance: number; cost: number } {
  const distance = Math.max(0, named.startLine - startLine, startLine - named.endLine)
  return {
    distance,
    cost: distance + (side === named.side ? 0 : costOfOtherSide) + (isWhole ? 0 : costOfPart),
  }
}

function chooseNearest(candidates: readonly Candidate[]): QuotedLines | undefined {
  const [best, ...others] = candidates.toSorted(
    (a, b) => a.cost - b.cost || a.startLine - b.startLine,
  )
  if (best === undefined) return undefined
  const { cost, distance, readText, ...match } = best
  const isNamed = cost === 0 && others.every((other) => other.cost > 0)
  const isAlone = distance <= maxDrift && others.every((other) => other.distance > maxDrift)
  return { ...match, text: readText(), isClear: others.length === 0 || isNamed || isAlone }
}

/** Whether code says more than how a block ends. */
function isTelling(lines: readonly string[]): boolean {
  return /[\p{L}\p{N}_$]{3}/u.test(lines.join('')) && lines.join('').length >= fewestTelling
}

function findLongestRun(
  hunks: readonly SearchableHunk[],
  named: QuotingProposal,
  reading: QuoteReading,
): QuotedLines | undefined {
  const most = Math.max(reading.LEFT.length, reading.RIGHT.length)
  if (most > maxLinesInPart) return undefined
  for (let length = most - 1; length >= Math.max(1, most / 2); length--) {
    for (let from = 0; from + length <= most; from++) {
      const run = {
        LEFT: reading.LEFT.slice(from, from + length),
        RIGHT: reading.RIGHT.slice(from, from + length),
      }
      const found = chooseNearest(listCandidates(hunks, named, keepTelling(run, length)))
      if (found) return { ...found, isWhole: false }
    }
  }
  return undefined
}

/** A run that is cut short by the end of its side, or says nothing, finds nothing. */
function keepTelling(run: QuoteReading, length: number): QuoteReading {
  const keep = (lines: readonly string[]) =>
    lines.length === length && isTelling(lines) ? lines : []
  return { LEFT: keep(run.LEFT), RIGHT: keep(run.RIGHT) }
}
