// Finds the lines near the named ones that a misquoted text resembles most.
import type { DiffSide } from '../../domain/diff.ts'
import type { LineRange } from './code-range.ts'
import type { SearchableHunk } from './find-quote.ts'
import type { ComparableLine, QuotedCode } from './match-code.ts'
import { readQuote } from './read-quote.ts'

/** Where misquoted code is looked for. */
export interface ComparedFile {
  readonly hunks: readonly SearchableHunk[]
  /** The lines of the whole file. */
  readonly head: readonly ComparableLine[]
}

/** Lines that may be meant. */
interface Resemblance extends LineRange {
  readonly side: DiffSide
  /** A quote can't distinguish lines in which this is equal. */
  readonly comparable: string
  /** The number of pairs of characters that only one of the texts has. */
  readonly difference: number
  /** The Dice coefficient of the pairs of characters. */
  readonly similarity: number
  /** The distance from the named lines, by either number of context lines. */
  readonly distance: number
}

/** Models name lines up to this far from those that they misquote. */
const maxDrift = 20
/** Lines up to this far away may be meant instead, so the quote must differ more from them. */
const maxRivalDistance = 2 * maxDrift
const minSimilarity = 0.75
/** A shorter quote resembles other code by chance. In characters without white space. */
const minQuoteLength = 12
/** Longer quotes are not compared. In lines. */
const maxQuoteLines = 20
/** Other lines must differ more from the quote, by this factor and by these pairs. */
const minLead = { factor: 2, pairs: 12 } as const

/**
 * Finds the lines within 20 of the named ones, on either side, that resemble the quote. Finds none
 * if other lines resemble it nearly as much.
 */
export function findSimilarLines(
  compared: ComparedFile,
  named: QuotedCode,
): (LineRange & { readonly side: DiffSide }) | undefined {
  const best = findClearlyNearest(compareNearbyLines(compared, named), named)
  return best && best.similarity >= minSimilarity && best.distance <= maxDrift ? best : undefined
}

/** Whether no other lines near the named ones resemble the quote nearly as much as those. */
export function areMostSimilar(compared: ComparedFile, named: QuotedCode): boolean {
  const all = compareNearbyLines(compared, named)
  const best = findClearlyNearest(all, named)
  return all.length === 0 || (best !== undefined && isNamed(best, named))
}

/** Returns the first if no others resemble the quote nearly as much, except copies elsewhere. */
function findClearlyNearest(
  [best, ...others]: readonly Resemblance[],
  named: QuotedCode,
): Resemblance | undefined {
  if (best === undefined) return undefined
  const limit = Math.max(best.difference * minLead.factor, best.difference + minLead.pairs)
  const isCopy = ({ comparable, distance }: Resemblance) =>
    isNamed(best, named) && comparable === best.comparable && distance > 0
  const rivals = others.filter((other) => other.difference < limit && !isCopy(other))
  return rivals.length === 0 ? best : undefined
}

function isNamed({ distance, side }: Resemblance, named: QuotedCode): boolean {
  return distance === 0 && side === named.side
}

/** Lists lines by their difference from the quote, the least first, then by distance. */
function compareNearbyLines(compared: ComparedFile, named: QuotedCode): Resemblance[] {
  const candidates = new Map<string, Resemblance>()
  for (const reading of readQuote(named.quote)) {
    for (const side of ['RIGHT', 'LEFT'] as const) {
      const wanted = reading[side]
      const text = wanted.join('\n')
      if (text.length < minQuoteLength || wanted.length > maxQuoteLines) continue
      for (const near of listNearby(compared, side, named, wanted.length)) {
        const key = `${side} ${near.startLine}`
        const found = { ...near, ...compareTexts(text, near.comparable) }
        if (found.difference < (candidates.get(key)?.difference ?? Number.POSITIVE_INFINITY))
          candidates.set(key, found)
      }
    }
  }
  return [...candidates.values()].toSorted(
    (a, b) => a.difference - b.difference || a.distance - b.distance,
  )
}

interface Block {
  readonly lines: readonly ComparableLine[]
  /** The only lines that count on the old side: unchanged ones are lines of the head. */
  readonly deleted?: ReadonlySet<number>
}

function listBlocks({ hunks, head }: ComparedFile, side: DiffSide): Block[] {
  if (side === 'RIGHT') return [{ lines: head }]
  return hunks.map(({ lines, deleted }) => ({ lines: lines.LEFT, deleted }))
}

/** Lists all runs of that many lines near the named line. */
function listNearby(
  compared: ComparedFile,
  side: DiffSide,
  named: QuotedCode,
  count: number,
): Omit<Resemblance, 'difference' | 'similarity'>[] {
  const oldLines =
    side === 'RIGHT' && named.side === 'LEFT'
      ? new Map(compared.hunks.flatMap((hunk) => [...hunk.oldLines]))
      : new Map<number, number>()
  const distanceOf = (line: number) =>
    Math.min(
      Math.abs(line - named.startLine),
      Math.abs((oldLines.get(line) ?? line) - named.startLine),
    )
  return listBlocks(compared, side).flatMap(({ lines, deleted }) =>
    lines.flatMap(({ line }, index) => {
      const distance = distanceOf(line.number)
      if (distance > maxRivalDistance) return []
      const run = lines.slice(index, index + count)
      if (run.length < count) return []
      if (deleted && !run.some((each) => deleted.has(each.line.number))) return []
      const comparable = run.map((each) => each.comparable).join('\n')
      return [
        { side, startLine: line.number, endLine: run.at(-1)!.line.number, comparable, distance },
      ]
    }),
  )
}

function compareTexts(a: string, b: string): Pick<Resemblance, 'difference' | 'similarity'> {
  const counts = new Map<string, number>()
  for (let at = 1; at < a.length; at++) {
    const pair = a.slice(at - 1, at + 1)
    counts.set(pair, (counts.get(pair) ?? 0) + 1)
  }
  let common = 0
  for (let at = 1; at < b.length; at++) {
    const pair = b.slice(at - 1, at + 1)
    const left = counts.get(pair) ?? 0
    if (left === 0) continue
    counts.set(pair, left - 1)
    common++
  }
  const total = a.length + b.length - 2
  return { difference: total - 2 * common, similarity: (2 * common) / total }
}
