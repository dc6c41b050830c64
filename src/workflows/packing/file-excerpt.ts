// Collects the lines of one file that a round shows, and renders them.
import type { DiffHunk, DiffLine, FileDiff } from '../../domain/diff.ts'
import { type NumberedLines, renderNumberedLines } from '../../git/render-diff.ts'
import type { ShownLines } from '../../reviewers/packed-context.ts'
import type { Piece } from './cut-pieces.ts'
import type { HeadView } from './read-head.ts'

export interface FileExcerpt {
  readonly file: FileDiff
  /** Keyed by line at the head. A deleted line has the previous line's number plus a fraction. */
  readonly shown: Map<number, DiffLine>
  /**
   * Section headings by git, used as a fallback. Keyed by the first line of the piece at the head.
   */
  readonly sections: Map<number, string>
}

/** Characters of each signature in a heading. */
const maxHeadingPart = 120

export function createExcerpt(file: FileDiff): FileExcerpt {
  return { file, shown: new Map(), sections: new Map() }
}

export function addPiece(excerpt: FileExcerpt, { hunk, from, to }: Piece): void {
  const keys = computeKeys(hunk, from, to)
  for (let at = from; at < to; at++) excerpt.shown.set(keys[at - from]!, hunk.lines[at]!)
  excerpt.sections.set(Math.floor(keys[0]!), hunk.section)
}

/** Adds unchanged lines of the head from `start` to `end`, 1-based and inclusive. */
export function addContext(
  excerpt: FileExcerpt,
  { lines }: HeadView,
  start: number,
  end: number,
): void {
  for (const hunk of excerpt.file.hunks) {
    const keys = computeKeys(hunk, 0, hunk.lines.length)
    for (const [index, line] of hunk.lines.entries()) {
      const isInRange = line.newLine !== null && line.newLine >= start && line.newLine <= end
      if (line.kind === 'context' && isInRange) excerpt.shown.set(keys[index]!, line)
    }
  }
  const isInHunk = (number: number) =>
    excerpt.file.hunks.some(
      ({ newStart, newCount }) => number >= newStart && number < newStart + newCount,
    )
  for (let number = Math.max(1, start); number <= Math.min(end, lines.length); number++) {
    if (isInHunk(number)) continue
    const text = lines[number - 1]!
    excerpt.shown.set(number, {
      kind: 'context',
      text,
      oldLine: null,
      newLine: number,
      noNewlineAtEnd: false,
    })
  }
}

/** Computes the keys of lines of a hunk, see `FileExcerpt.shown`. */
function computeKeys({ lines, newStart, newCount }: DiffHunk, from: number, to: number): number[] {
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
 * Renders each block of consecutive lines under a heading that names what encloses it. The path of
 * the file is left out.
 */
export function renderExcerpt(
  excerpt: FileExcerpt,
  view: HeadView | undefined,
  numbers: NumberedLines,
): string {
  const blocks = splitBlocks(excerpt)
  let last = ''
  const parts = blocks.map((lines) => {
    const enclosing = describeEnclosing(excerpt, view, lines)
    const heading = enclosing === '' || enclosing === last ? '@@' : `@@ ${enclosing}`
    last = enclosing
    return `${heading}\n${renderNumberedLines(lines, numbers)}`
  })
  return [...describeStatus(excerpt.file), ...parts].join('\n')
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
  for (const key of [...shown.keys()].sort((one, other) => one - other)) {
    // The fraction in the key of a deleted line doesn't begin a new block.
    if (Math.floor(key) - Math.floor(last) > 1) blocks.push([])
    blocks.at(-1)!.push(shown.get(key)!)
    last = key
  }
  return blocks
}

/** Names the innermost definition around the first added line of a block. Others cost tokens. */
function describeEnclosing(
  excerpt: FileExcerpt,
  view: HeadView | undefined,
  lines: readonly DiffLine[],
): string {
  const start = lines.find(({ newLine }) => newLine !== null)?.newLine ?? 0
  const changed =
    lines.find(({ kind, text }) => kind === 'added' && text.trim() !== '')?.newLine ?? start
  if (view && start > 0) {
    const around = view.enclosing(changed).filter(({ startLine }) => startLine < start)
    return around.map(({ signature }) => signature.slice(0, maxHeadingPart)).at(-1) ?? ''
  }
  const nearest = [...excerpt.sections.keys()].findLast((key) => start === 0 || key <= start) ?? -1
  return excerpt.sections.get(nearest)?.trim().slice(0, 160) ?? ''
}

/** Returns the ranges of lines that are shown, on both sides. */
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
