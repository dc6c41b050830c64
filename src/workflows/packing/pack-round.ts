// Fills one round: the most valuable pieces, then their context, then the enclosing definitions.
import { setImmediate } from 'node:timers/promises'
import type { Change } from '../../domain/change.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { type NumberedLines, renderNumberedLines } from '../../git/render-diff.ts'
import type { ContextSpan } from '../../reviewers/packed-context.ts'
import type { CountTokens } from './count-tokens.ts'
import type { Piece } from './cut-pieces.ts'
import { describeImpact, type ShownCode } from './describe-impact.ts'
import type { Enclosing } from './enclosing-lines.ts'
import {
  addContext,
  addPiece,
  createExcerpt,
  type FileExcerpt,
  listRanges,
  renderExcerpt,
} from './file-excerpt.ts'
import { estimateFileTokens } from './order-pieces.ts'
import type { HeadReader, HeadView } from './read-head.ts'
import { showDefinitions } from './show-definitions.ts'
import { collectNames, type ReadLines } from './used-names.ts'

interface PackTask {
  readonly change: Change
  readonly head: HeadReader
  readonly numbers: NumberedLines
  readonly measure: CountTokens
  /** Excludes the tokens of the header. */
  readonly maxTokens: number
  /** Longer definitions around changed lines aren't shown whole. */
  readonly maxEnclosingLines: number
}

interface PackedRound {
  readonly spans: readonly ContextSpan[]
  readonly shown: ReadonlySet<Piece>
}

/** The round that is being filled. */
interface OpenRound {
  readonly task: PackTask
  readonly files: Map<FileDiff, OpenFile>
  readonly shown: Set<Piece>
  tokensLeft: number
  /** Counts the tokens of spans other than the diff. */
  contextTokens: number
}

interface OpenFile {
  readonly excerpt: FileExcerpt
  readonly view: HeadView | undefined
}

/**
 * This share of a round is reserved for context, but not of its first tokens: hunks matter more in
 * small rounds.
 */
const contextShare = 1 / 8
const tokensForHunks = 1_500
/** Names are read from this many lines of an enclosing definition. */
const maxEnclosingLines = 100
/** Text with more characters per available token is too long and needn't be counted. */
const maxCharactersPerToken = 12

/** Estimated tokens of the number before a line. */
const tokensPerLineNumber = 3

/** Fills a round with pieces in their order. */
export async function packRound(task: PackTask, pieces: readonly Piece[]): Promise<PackedRound> {
  const round: OpenRound = {
    task,
    files: new Map(),
    shown: new Set(),
    tokensLeft: task.maxTokens,
    contextTokens: 0,
  }
  const reserved = Math.max(0, task.maxTokens - tokensForHunks) * contextShare
  await takePieces(round, pieces, reserved)
  const isWhole = round.shown.size === pieces.length
  const context = await takeContext(round, isWhole ? round.tokensLeft / 2 : reserved, isWhole)
  await takePieces(round, pieces, 0)
  expandToEnclosing(round)
  const files = [...round.files.values()].sort((one, other) =>
    one.excerpt.file.path < other.excerpt.file.path ? -1 : 1,
  )
  const diffSpans = files.map((file) => toSpan(file, task))
  return { spans: [...diffSpans, ...context], shown: round.shown }
}

/** Adds pieces that fit next to the reserved tokens. Yields to other work between files. */
async function takePieces(
  round: OpenRound,
  pieces: readonly Piece[],
  reserved: number,
): Promise<void> {
  for (const piece of pieces) {
    const tokensLeft = round.tokensLeft - reserved
    if (tokensLeft < 8) break
    if (round.shown.has(piece) || piece.tokens / 2 > tokensLeft) continue
    if (!isUseful(round, piece)) continue
    const known = round.files.get(piece.file)
    if (!known) await setImmediate()
    const view = known ? known.view : await readView(round.task, piece.file)
    const headingTokens = known ? 0 : estimateFileTokens(piece.file)
    const tokens = measurePiece(round.task, piece, view) + headingTokens
    if (tokens > tokensLeft) continue
    const file = known ?? { excerpt: createExcerpt(piece.file), view }
    round.files.set(piece.file, file)
    addPiece(file.excerpt, piece)
    round.shown.add(piece)
    round.tokensLeft -= tokens
  }
  recount(round)
}

function readView({ head }: PackTask, { path, status }: FileDiff): Promise<HeadView | undefined> {
  return status === 'deleted' ? Promise.resolve(undefined) : head.readChanged(path)
}

/** Unchanged lines are only shown next to changed ones. */
function isUseful({ shown }: OpenRound, { neighbors }: Piece): boolean {
  return neighbors.length === 0 || neighbors.some((neighbor) => shown.has(neighbor))
}

function measurePiece(
  { measure, numbers, maxTokens }: PackTask,
  piece: Piece,
  view: HeadView | undefined,
): number {
  const lines = piece.hunk.lines.slice(piece.from, piece.to)
  const excerpt = createExcerpt(piece.file)
  addPiece(excerpt, piece)
  // Unchanged lines are shown under the heading of the changed ones next to them.
  const text =
    piece.neighbors.length > 0
      ? renderNumberedLines(lines, numbers)
      : renderExcerpt(excerpt, view, numbers)
  return text.length > maxTokens * maxCharactersPerToken ? Infinity : measure(text) + 1
}

/** Adjacent pieces take fewer tokens than the sum of each, so the tokens are counted again. */
function recount(round: OpenRound): void {
  let tokens = 0
  for (const file of round.files.values()) tokens += measureFile(file, round.task)
  round.tokensLeft = round.task.maxTokens - round.contextTokens - tokens
}

function measureFile({ excerpt, view }: OpenFile, { numbers, measure }: PackTask): number {
  return measure(renderExcerpt(excerpt, view, numbers)) + estimateFileTokens(excerpt.file)
}

/**
 * Adds what the code graph knows about the change, and the definitions of names on shown lines, in
 * at most `maxTokens`.
 *
 * @param hasSpareTokens no piece is left that needs them
 */
async function takeContext(
  round: OpenRound,
  maxTokens: number,
  hasSpareTokens: boolean,
): Promise<ContextSpan[]> {
  const { change, measure } = round.task
  const shown = describeShown(round)
  const impact =
    change.graph === null ? [] : describeImpact(change.graph, shown, maxTokens, measure)
  const impactTokens = impact.reduce((sum, span) => sum + span.tokens, 0)
  const names = collectNames(listReadLines(round))
  const budget = { tokens: maxTokens - impactTokens, hasSpareTokens }
  const definitions = await showDefinitions(round.task, shown, names, budget)
  const tokens = impactTokens + (definitions?.tokens ?? 0)
  round.tokensLeft -= tokens
  round.contextTokens += tokens
  return definitions === undefined ? impact : [...impact, definitions]
}

function describeShown({ files }: OpenRound): ShownCode {
  const excerpts = [...files.values()].map(({ excerpt }) => excerpt)
  return {
    showsFile: (path) => excerpts.some(({ file }) => file.path === path || file.oldPath === path),
    showsLine: (path, line) =>
      excerpts.some(({ file, shown }) => file.path === path && shown.has(line)),
  }
}

/** Lists the shown lines, and those of the enclosing definitions, to read names from. */
function listReadLines({ files }: OpenRound): ReadLines[] {
  return [...files.values()].flatMap((file) => {
    const { excerpt, view } = file
    if (view?.index === undefined) return []
    const around = listInnermost(file).map(({ startLine, endLine }) => ({
      startLine,
      endLine: Math.min(endLine, startLine + maxEnclosingLines),
    }))
    const { index } = view
    return [{ path: excerpt.file.path, index, shown: [...excerpt.shown.values()], around }]
  })
}

/** Lists the innermost definitions around added lines. */
function listInnermost({ excerpt, view }: OpenFile): Enclosing[] {
  if (!view) return []
  const found = new Map<number, Enclosing>()
  let last: Enclosing | undefined
  for (const { kind, newLine, text } of excerpt.shown.values()) {
    // A closing bracket is outside of its block.
    if (kind !== 'added' || newLine === null || !/\w/.test(text)) continue
    // Skips lines that are in the same definition.
    if (last && newLine > last.startLine && newLine <= last.endLine) continue
    last = view.enclosing(newLine).at(-1)
    if (last) found.set(last.startLine, last)
  }
  return [...found.values()]
}

/** Shows the innermost enclosing definitions whole while there are tokens, the smallest first. */
function expandToEnclosing(round: OpenRound): void {
  const wanted = [...round.files.values()].flatMap((file) =>
    listInnermost(file).map((enclosing) => ({
      excerpt: file.excerpt,
      view: file.view!,
      enclosing,
    })),
  )
  const size = ({ enclosing }: (typeof wanted)[number]) => enclosing.endLine - enclosing.startLine
  const smallestFirst = wanted
    .filter((one) => size(one) < round.task.maxEnclosingLines)
    .sort((one, other) => size(one) - size(other))
  for (const { excerpt, view, enclosing } of smallestFirst) {
    const { startLine, endLine } = enclosing
    const text = view.lines.slice(startLine - 1, endLine).join('\n')
    const tokens = round.task.measure(text) + (endLine - startLine) * tokensPerLineNumber
    if (tokens > round.tokensLeft) break
    addContext(excerpt, view, startLine, endLine)
    round.tokensLeft -= tokens
  }
}

function toSpan(file: OpenFile, task: PackTask): ContextSpan {
  const text = renderExcerpt(file.excerpt, file.view, task.numbers)
  return {
    origin: 'diff',
    trust: 'untrusted',
    path: file.excerpt.file.path,
    text,
    tokens: measureFile(file, task),
    lines: listRanges(file.excerpt),
  }
}
