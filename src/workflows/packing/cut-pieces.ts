// Cuts a file's diff into pieces that can be shown independently.
import type { DiffHunk, DiffLine, FileDiff } from '../../domain/diff.ts'
import { estimateTokens } from './count-tokens.ts'
import { weighLine } from './weigh-lines.ts'

/** A hunk with prefix sums over its lines, from 0 to the sum of all lines. */
export interface WeighedHunk {
  readonly file: FileDiff
  readonly hunk: DiffHunk
  readonly tokens: Float64Array
  readonly values: Float64Array
}

/** A part of one hunk: changed lines that belong together, or unchanged lines next to them. */
export interface Piece {
  readonly file: FileDiff
  readonly hunk: DiffHunk
  /** Has the lines of the hunk from index `from` up to, but without, index `to`. */
  readonly from: number
  readonly to: number
  /** Estimated. */
  readonly tokens: number
  /** Adds up the weights of its lines. */
  readonly value: number
  /** For unchanged lines: the changed pieces before and after them, which must be shown too. */
  readonly neighbors: readonly Piece[]
}

/** Gaps of up to this many unchanged lines are kept, as a heading takes as many tokens. */
const maxGap = 3

/** Estimated tokens of a line end and of occasional line numbers. */
const tokensPerLine = 2

/** Weighs the first `maxLines` lines of a file, as more would not fit. `weight` is per hunk. */
export function weighHunks(
  file: FileDiff,
  maxLines: number,
  weight: (hunk: DiffHunk) => number,
): WeighedHunk[] {
  const weighed: WeighedHunk[] = []
  let left = maxLines
  for (const hunk of file.hunks) {
    if (left <= 0) break
    const lines = hunk.lines.slice(0, left)
    left -= lines.length
    const factor = weight(hunk)
    weighed.push({
      file,
      hunk,
      tokens: sumPrefixes(lines, (line) => estimateTokens(line.text) + tokensPerLine),
      values: sumPrefixes(lines, (line) => factor * weighLine(line)),
    })
  }
  return weighed
}

function sumPrefixes(
  lines: readonly DiffLine[],
  measure: (line: DiffLine) => number,
): Float64Array {
  const sums = new Float64Array(lines.length + 1)
  for (const [index, line] of lines.entries()) sums[index + 1] = sums[index]! + measure(line)
  return sums
}

/** Cuts a hunk. Changed lines with more than `maxTokens` are halved, down to a single line. */
export function cutPieces(weighed: WeighedHunk, maxTokens: number): Piece[] {
  const { file, hunk, tokens, values } = weighed
  const toPiece = (from: number, to: number, neighbors: readonly Piece[]): Piece => ({
    file,
    hunk,
    from,
    to,
    tokens: tokens[to]! - tokens[from]!,
    value: values[to]! - values[from]!,
    neighbors,
  })
  const changed = findRuns(weighed).flatMap(([from, to]) =>
    halve(weighed, from, to, maxTokens).map(([start, end]) => toPiece(start, end, [])),
  )
  const ends = [0, ...changed.map(({ to }) => to)]
  const starts = [...changed.map(({ from }) => from), tokens.length - 1]
  // The gap at `index` is between the changed pieces `index - 1` and `index`.
  const unchanged = ends.flatMap((end, index) => {
    const start = starts[index]!
    if (end === start) return []
    return [toPiece(end, start, changed.slice(Math.max(0, index - 1), index + 1))]
  })
  return [...changed, ...unchanged.filter(({ neighbors }) => neighbors.length > 0)]
}

type Range = readonly [from: number, to: number]

/** Finds runs of changed lines. */
function findRuns({ hunk, tokens }: WeighedHunk): Range[] {
  const runs: [number, number][] = []
  const length = tokens.length - 1
  for (let at = 0; at < length; at++) {
    if (hunk.lines[at]!.kind === 'context') continue
    const last = runs.at(-1)
    if (last && at - last[1] <= maxGap) last[1] = at + 1
    else runs.push([at, at + 1])
  }
  return runs
}

function halve(weighed: WeighedHunk, from: number, to: number, maxTokens: number): Range[] {
  if (weighed.tokens[to]! - weighed.tokens[from]! <= maxTokens || to - from <= 1)
    return [[from, to]]
  const at = findBoundary(weighed, from, to)
  return [...halve(weighed, from, at, maxTokens), ...halve(weighed, at, to, maxTokens)]
}

/** Finds the line to cut before: near the middle, with little indentation. */
function findBoundary({ hunk, tokens }: WeighedHunk, from: number, to: number): number {
  const total = tokens[to]! - tokens[from]!
  let best = from + 1
  let bestCost = Infinity
  for (let at = from + 1; at < to; at++) {
    const distance = Math.abs((tokens[at]! - tokens[from]!) / total - 0.5)
    const isNearMiddle = distance <= 0.25
    const cost = isNearMiddle
      ? 20 * distance + rateAsStart(hunk.lines[at]!, hunk.lines[at - 1]!)
      : 1000 * distance
    if (cost < bestCost) [best, bestCost] = [at, cost]
  }
  return best
}

/** Returns a lower number the more a line looks like the first one of a block. */
function rateAsStart({ text }: DiffLine, before: DiffLine): number {
  const indent = /^\s*/.exec(text.slice(0, 40))![0].length
  const closesBlock = /^\s*[)\]}]/.test(text.slice(0, 80))
  const followsBlankLine = /^\s*$/.test(before.text.slice(0, 80))
  return indent / 2 + (closesBlock ? 6 : 0) - (followsBlankLine ? 4 : 0)
}
