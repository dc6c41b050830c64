// Cuts a file's diff into pieces that can be shown one without the other.
import type { DiffHunk, DiffLine, FileDiff } from '../../domain/diff.ts'
import { estimateTokens } from './count-tokens.ts'
import { weighLine } from './weigh-lines.ts'

/** A hunk whose lines were weighed once, for all ways to cut it. Sums of all lines before each, and of all. */
export interface WeighedHunk {
  readonly file: FileDiff
  readonly hunk: DiffHunk
  readonly tokens: Float64Array
  readonly values: Float64Array
}

/** A part of one hunk: changed lines that belong together, or the unchanged ones beside them. */
export interface Piece {
  readonly file: FileDiff
  readonly hunk: DiffHunk
  /** Index of its first line in the hunk, and behind its last. */
  readonly from: number
  readonly to: number
  /** About how many tokens it has. */
  readonly tokens: number
  /** The worth of its lines. */
  readonly value: number
  /** Of unchanged lines: the changed ones before and behind them, without which they tell nothing. */
  readonly neighbors: readonly Piece[]
}

/** So few unchanged lines between changed ones are shown with them: a heading would take as much room. */
const longestGap = 3

/** Tokens of a line's own: its line end, and now and then a number. */
const tokensOfLine = 2

/** Weighs the lines of a file, `maxLines` at most: those behind them would fit nowhere. `weight` is of the hunk. */
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
      tokens: addUp(lines, (line) => estimateTokens(line.text) + tokensOfLine),
      values: addUp(lines, (line) => factor * weighLine(line)),
    })
  }
  return weighed
}

function addUp(lines: readonly DiffLine[], measure: (line: DiffLine) => number): Float64Array {
  const sums = new Float64Array(lines.length + 1)
  for (const [index, line] of lines.entries()) sums[index + 1] = sums[index]! + measure(line)
  return sums
}

/** The pieces of a hunk. Those of changed lines that take more than `maxTokens` are cut in two, but for a single line. */
export function cutPieces(weighed: WeighedHunk, maxTokens: number): Piece[] {
  const { file, hunk, tokens, values } = weighed
  const toPiece = (from: number, to: number, beside: readonly Piece[]): Piece => ({
    file,
    hunk,
    from,
    to,
    tokens: tokens[to]! - tokens[from]!,
    value: values[to]! - values[from]!,
    neighbors: beside,
  })
  const changed = findRuns(weighed).flatMap(([from, to]) =>
    halve(weighed, from, to, maxTokens).map(([start, end]) => toPiece(start, end, [])),
  )
  const ends = [0, ...changed.map(({ to }) => to)]
  const starts = [...changed.map(({ from }) => from), tokens.length - 1]
  const unchanged = ends.flatMap((end, index) =>
    end === starts[index]!
      ? []
      : [toPiece(end, starts[index]!, changed.slice(Math.max(0, index - 1), index + 1))],
  )
  return [...changed, ...unchanged.filter(({ neighbors: beside }) => beside.length > 0)]
}

type Range = readonly [from: number, to: number]

/** Runs of changed lines. */
function findRuns({ hunk, tokens }: WeighedHunk): Range[] {
  const runs: [number, number][] = []
  const length = tokens.length - 1
  for (let at = 0; at < length; at++) {
    if (hunk.lines[at]!.kind === 'context') continue
    const last = runs.at(-1)
    if (last && at - last[1] <= longestGap) last[1] = at + 1
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

/** Where to cut: near the middle, before the line that stands furthest out. */
function findBoundary({ hunk, tokens }: WeighedHunk, from: number, to: number): number {
  const total = tokens[to]! - tokens[from]!
  let best = from + 1
  let bestCost = Infinity
  for (let at = from + 1; at < to; at++) {
    const distance = Math.abs((tokens[at]! - tokens[from]!) / total - 0.5)
    const cost =
      distance > 0.25
        ? 1000 * distance
        : 20 * distance + jutOf(hunk.lines[at]!, hunk.lines[at - 1]!)
    if (cost < bestCost) [best, bestCost] = [at, cost]
  }
  return best
}

/** How little a line looks like a beginning. */
function jutOf({ text }: DiffLine, before: DiffLine): number {
  const indent = /^\s*/.exec(text.slice(0, 40))![0].length
  return (
    indent / 2 +
    (/^\s*[)\]}]/.test(text.slice(0, 80)) ? 6 : 0) -
    (/^\s*$/.test(before.text.slice(0, 80)) ? 4 : 0)
  )
}
