// What a round shows of one file: lines of its diff and, where there is room, of what encloses them.
import type { DiffHunk, DiffLine, FileDiff } from '../../domain/diff.ts'
import { type NumberedLines, renderNumberedLines } from '../../git/render-diff.ts'
import type { ShownLines } from '../../reviewers/reviewer.ts'
import type { Piece } from './cut-pieces.ts'
import type { Enclosing } from './enclosing-lines.ts'

/** The file at the head, as far as it is known. */
export interface HeadView {
  readonly lines: readonly string[]
  /** What encloses a line, outermost first. */
  readonly enclosing: (line: number) => readonly Enclosing[]
}

/** Lines that are shown, by where they stand: the line at the head, deleted ones behind the line before them. */
export interface FileExcerpt {
  readonly file: FileDiff
  readonly shown: Map<number, DiffLine>
  /** What git says encloses a hunk, where nothing better is known; by the hunk's first line at the head. */
  readonly sections: Map<number, string>
}

export function createExcerpt(file: FileDiff): FileExcerpt {
  return { file, shown: new Map(), sections: new Map() }
}

/** Puts a piece on the canvas. */
export function addPiece(canvas: FileExcerpt, { hunk, from, to }: Piece): void {
  const places = placesOf(hunk, from, to)
  for (let at = from; at < to; at++) canvas.shown.set(places[at - from]!, hunk.lines[at]!)
  canvas.sections.set(Math.floor(places[0]!), hunk.section)
}

/** Adds unchanged lines of the head that stand in no hunk, 1-based, both ends included. */
export function addContext(
  canvas: FileExcerpt,
  { lines }: HeadView,
  start: number,
  end: number,
): void {
  for (const hunk of canvas.file.hunks) {
    const places = placesOf(hunk, 0, hunk.lines.length)
    for (const [index, line] of hunk.lines.entries())
      if (line.kind === 'context' && line.newLine! >= start && line.newLine! <= end)
        canvas.shown.set(places[index]!, line)
  }
  const isInHunk = (number: number) =>
    canvas.file.hunks.some(
      ({ newStart, newCount }) => number >= newStart && number < newStart + newCount,
    )
  for (let number = Math.max(1, start); number <= Math.min(end, lines.length); number++) {
    if (isInHunk(number)) continue
    const text = lines[number - 1]!
    canvas.shown.set(number, {
      kind: 'context',
      text,
      oldLine: null,
      newLine: number,
      noNewlineAtEnd: false,
    })
  }
}

/** Where some lines of a hunk stand: see `FileCanvas`. */
function placesOf({ lines, newStart, newCount }: DiffHunk, from: number, to: number): number[] {
  let before = from - 1
  while (before >= 0 && lines[before]!.newLine === null) before--
  let last = lines[before]?.newLine ?? (newCount === 0 ? newStart : newStart - 1)
  let deleted = from - 1 - before
  return lines.slice(from, to).map(({ newLine }) => {
    if (newLine === null) return last + ++deleted / 1e6
    deleted = 0
    last = newLine
    return newLine
  })
}

/**
 * The canvas as text: what stands together under a heading that names what encloses it, for a reader who knows the
 * path.
 */
export function renderExcerpt(
  canvas: FileExcerpt,
  view: HeadView | undefined,
  numbers: NumberedLines,
): string {
  const blocks = splitBlocks(canvas)
  let last = ''
  const parts = blocks.map((lines) => {
    const enclosing = nameEnclosing(canvas, view, lines)
    const heading = enclosing === '' || enclosing === last ? '@@' : `@@ ${enclosing}`
    last = enclosing
    return `${heading}\n${renderNumberedLines(lines, numbers)}`
  })
  return [...describeStatus(canvas.file), ...parts].join('\n')
}

function describeStatus({ status, oldPath }: FileDiff): string[] {
  if (status === 'modified') return []
  return [
    status === 'renamed' || status === 'copied' ? `${status} from ${oldPath}` : `${status} file`,
  ]
}

function splitBlocks({ shown }: FileExcerpt): DiffLine[][] {
  const blocks: DiffLine[][] = []
  let last = -Infinity
  for (const place of [...shown.keys()].sort((one, other) => one - other)) {
    // A deleted line follows the line it stands behind, or the one that was deleted before it.
    if (Math.floor(place) - Math.floor(last) > 1) blocks.push([])
    blocks.at(-1)!.push(shown.get(place)!)
    last = place
  }
  return blocks
}

/** What is around the first added line of a block, as far as its first lines aren't in it: the outermost and the two nearest. */
function nameEnclosing(
  canvas: FileExcerpt,
  view: HeadView | undefined,
  lines: readonly DiffLine[],
): string {
  const start = lines.find(({ newLine }) => newLine !== null)?.newLine ?? undefined
  const changed =
    lines.find(({ kind, text }) => kind === 'added' && text.trim() !== '')?.newLine ?? start
  if (view && start !== undefined && changed !== undefined) {
    const around = view.enclosing(changed).filter(({ startLine }) => startLine < start)
    const named = around.length > 3 ? [around[0]!, ...around.slice(-2)] : around
    return named.map(({ signature }) => signature).join(' › ')
  }
  const at =
    [...canvas.sections.keys()].findLast((key) => start === undefined || key <= start) ?? -1
  return canvas.sections.get(at)?.trim().slice(0, 160) ?? ''
}

/** The ranges of lines that the canvas shows, on both sides. */
export function listRanges({ file, shown }: FileExcerpt): ShownLines[] {
  const lines = [...shown.values()]
  const right = toRanges(lines.flatMap(({ newLine }) => newLine ?? []))
  const left = toRanges(lines.flatMap(({ oldLine }) => oldLine ?? []))
  return [
    ...right.map((range) => ({ path: file.path, side: 'RIGHT' as const, ...range })),
    ...left.map((range) => ({ path: file.path, side: 'LEFT' as const, ...range })),
  ]
}

function toRanges(numbers: readonly number[]): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = []
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const last = ranges.at(-1)
    if (last && number <= last.end + 1) last.end = number
    else ranges.push({ start: number, end: number })
  }
  return ranges
}
