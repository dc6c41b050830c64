// Fills one round: the most telling pieces, what is known of their surroundings, and what encloses them.
import { setImmediate } from 'node:timers/promises'
import type { FileDiff } from '../../domain/diff.ts'
import { type NumberedLines, renderNumberedLines } from '../../git/render-diff.ts'
import type { Change, ContextSpan } from '../../reviewers/reviewer.ts'
import type { CountTokens } from './count-tokens.ts'
import type { Piece } from './cut-pieces.ts'
import { describeImpact, type ShownCode } from './describe-impact.ts'
import type { Enclosing } from './enclosing-lines.ts'
import {
  addContext,
  addPiece,
  createExcerpt,
  type FileExcerpt,
  type HeadView,
  listRanges,
  renderExcerpt,
} from './file-excerpt.ts'
import { estimateFileTokens } from './order-pieces.ts'
import type { ReadHead } from './read-head.ts'
import { showDefinitions } from './show-definitions.ts'
import { collectNames, type ReadLines } from './used-names.ts'

/** What all rounds of a change have in common. */
export interface PackTask {
  readonly change: Change
  readonly head: ReadHead
  readonly numbers: NumberedLines
  readonly measure: CountTokens
  /** Tokens for all but the header. */
  readonly maxTokens: number
}

export interface PackedRound {
  readonly spans: readonly ContextSpan[]
  readonly shown: ReadonlySet<Piece>
}

/** A round while it is filled. */
interface OpenRound {
  readonly task: PackTask
  readonly files: Map<FileDiff, OpenFile>
  readonly shown: Set<Piece>
  left: number
  /** Tokens of what is no file of the change. */
  taken: number
}

interface OpenFile {
  readonly canvas: FileExcerpt
  readonly view: HeadView | undefined
}

/** The share of a round that is kept free for what is around while pieces are left; in small rounds hunks tell more. */
const shareOfSurroundings = 1 / 8
const roomOfHunks = 1_500
/** Of a function so many lines are read for names. */
const mostLinesAround = 100
/** No text has fewer tokens than one for so many characters: what is longer needn't be counted to be too long. */
const mostCharactersPerToken = 12

/** Fills a round with pieces, in their order. */
export async function packRound(task: PackTask, pieces: readonly Piece[]): Promise<PackedRound> {
  const round: OpenRound = {
    task,
    files: new Map(),
    shown: new Set(),
    left: task.maxTokens,
    taken: 0,
  }
  const kept = Math.max(0, task.maxTokens - roomOfHunks) * shareOfSurroundings
  await takePieces(round, pieces, kept)
  const isWhole = round.shown.size === pieces.length
  const around = await takeSurroundings(round, isWhole ? round.left / 2 : kept, isWhole)
  await takePieces(round, pieces, 0)
  widen(round)
  const files = [...round.files.values()].sort((one, other) =>
    one.canvas.file.path < other.canvas.file.path ? -1 : 1,
  )
  return { spans: [...files.map((file) => toSpan(file, task)), ...around], shown: round.shown }
}

/** Takes what fits, but for the tokens that are kept. Lets other work go on between files. */
async function takePieces(round: OpenRound, pieces: readonly Piece[], kept: number): Promise<void> {
  for (const piece of pieces) {
    if (round.left - kept < 8) break
    if (round.shown.has(piece) || piece.tokens / 2 > round.left - kept) continue
    if (piece.neighbors.length > 0 && !piece.neighbors.some((each) => round.shown.has(each)))
      continue
    const known = round.files.get(piece.file)
    if (!known) await setImmediate()
    const view = known ? known.view : await round.task.head(piece.file)
    const tokens =
      measurePiece(round.task, piece, view) + (known ? 0 : estimateFileTokens(piece.file))
    if (tokens > round.left - kept) continue
    const open = known ?? { canvas: createExcerpt(piece.file), view }
    round.files.set(piece.file, open)
    addPiece(open.canvas, piece)
    round.shown.add(piece)
    round.left -= tokens
  }
  recount(round)
}

function measurePiece(
  { measure, numbers, maxTokens: room }: PackTask,
  piece: Piece,
  view: HeadView | undefined,
): number {
  const lines = piece.hunk.lines.slice(piece.from, piece.to)
  const canvas = createExcerpt(piece.file)
  addPiece(canvas, piece)
  // What stands beside a piece needs no heading of its own.
  const text =
    piece.neighbors.length > 0
      ? renderNumberedLines(lines, numbers)
      : renderExcerpt(canvas, view, numbers)
  return text.length > room * mostCharactersPerToken ? Infinity : measure(text) + 1
}

/** Pieces that meet take less room than each alone. */
function recount(round: OpenRound): void {
  let tokens = 0
  for (const file of round.files.values()) tokens += measureFile(file, round.task)
  round.left = round.task.maxTokens - round.taken - tokens
}

function measureFile({ canvas, view }: OpenFile, { numbers, measure }: PackTask): number {
  return measure(renderExcerpt(canvas, view, numbers)) + estimateFileTokens(canvas.file)
}

/**
 * Shows what is around the change: what the code graph tells of it, and where names on the shown lines are defined. More
 * than the tokens that are kept only where no piece waits for the room.
 */
async function takeSurroundings(
  round: OpenRound,
  most: number,
  isWide: boolean,
): Promise<ContextSpan[]> {
  const { change, measure } = round.task
  const places = placesOf(round)
  const reach = change.graph === null ? [] : describeImpact(change.graph, places, most, measure)
  const taken = reach.reduce((sum, span) => sum + span.tokens, 0)
  const room = { tokens: most - taken, hasSpareTokens: isWide }
  const definitions = await showDefinitions(
    change,
    places,
    collectNames(readShown(round)),
    room,
    measure,
  )
  const spans = definitions === undefined ? reach : [...reach, definitions]
  const tokens = taken + (definitions?.tokens ?? 0)
  round.left -= tokens
  round.taken += tokens
  return spans
}

function placesOf({ files }: OpenRound): ShownCode {
  const canvases = [...files.values()].map(({ canvas }) => canvas)
  return {
    showsFile: (path) => canvases.some(({ file }) => file.path === path || file.oldPath === path),
    showsLine: (path, line) =>
      canvases.some(({ file, shown }) => file.path === path && shown.has(line)),
  }
}

/** What is shown, and what encloses it: whoever reads a part of a function may ask about the rest. */
function readShown({ files }: OpenRound): ReadLines[] {
  return [...files.values()].map((file) => {
    const { canvas, view } = file
    return {
      file: canvas.file,
      lines: [...canvas.shown.values()],
      around: innermost(file).flatMap(({ startLine, endLine }) =>
        view!.lines.slice(startLine - 1, Math.min(endLine, startLine + mostLinesAround)),
      ),
      head: view?.lines ?? canvas.file.hunks.flatMap((hunk) => hunk.lines.map(({ text }) => text)),
    }
  })
}

/** What most closely encloses the lines that were added. */
function innermost({ canvas, view }: OpenFile): Enclosing[] {
  if (!view) return []
  const found = new Map<number, Enclosing>()
  let last: Enclosing | undefined
  for (const { kind, newLine, text } of canvas.shown.values()) {
    // The end of a block lies outside of it.
    if (kind !== 'added' || newLine === null || !/\w/.test(text)) continue
    // The next lines are mostly in the same.
    if (last && newLine > last.startLine && newLine <= last.endLine) continue
    last = view.enclosing(newLine).at(-1)
    if (last) found.set(last.startLine, last)
  }
  return [...found.values()]
}

/** Shows whole what most closely encloses the pieces, smallest first, where there is room. */
function widen(round: OpenRound): void {
  const wanted = [...round.files.values()].flatMap((file) =>
    innermost(file).map((enclosing) => ({ canvas: file.canvas, view: file.view!, enclosing })),
  )
  const size = ({ enclosing }: (typeof wanted)[number]) => enclosing.endLine - enclosing.startLine
  for (const { canvas, view, enclosing } of wanted.sort((one, other) => size(one) - size(other))) {
    const { startLine, endLine } = enclosing
    const tokens =
      round.task.measure(view.lines.slice(startLine - 1, endLine).join('\n')) +
      (endLine - startLine) * 3
    if (tokens > round.left) break
    addContext(canvas, view, startLine, endLine)
    round.left -= tokens
  }
}

function toSpan(file: OpenFile, task: PackTask): ContextSpan {
  const text = renderExcerpt(file.canvas, file.view, task.numbers)
  return {
    origin: 'diff',
    trust: 'untrusted',
    path: file.canvas.file.path,
    text,
    tokens: measureFile(file, task),
    lines: listRanges(file.canvas),
  }
}
