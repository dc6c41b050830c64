// Cuts changed files into passages: the changed lines that an answer of a model is kept for.
import type { DiffHunk, DiffLine, FileDiff } from '../../domain/diff.ts'

/** Changed lines of one hunk without a blank line between them, with the lines around them. */
export interface Passage {
  readonly file: FileDiff
  readonly hunk: DiffHunk
  /** Has the lines of the hunk from index `from` up to, but without, index `to`. */
  readonly from: number
  readonly to: number
}

/** Lines before and after the changed ones that belong to a passage. */
const linesAround = 3

/** Cuts by what the lines say, and not by their numbers, so that a push moves no other cut. */
export function cutPassages(file: FileDiff): Passage[] {
  return file.hunks.flatMap((hunk) =>
    findBlocks(hunk.lines).map(([first, last]) => ({
      file,
      hunk,
      from: Math.max(0, first - linesAround),
      to: Math.min(hunk.lines.length, last + 1 + linesAround),
    })),
  )
}

export function linesOf({ hunk, from, to }: Passage): readonly DiffLine[] {
  return hunk.lines.slice(from, to)
}

/** Finds the first and the last changed line of each block. Every changed line is in one. */
function findBlocks(lines: readonly DiffLine[]): [first: number, last: number][] {
  const blocks: [number, number][] = []
  let open: { range: [number, number]; hasText: boolean } | null = null
  for (const [at, { kind, text }] of lines.entries()) {
    const isBlank = text.trim() === ''
    if (kind !== 'context') {
      if (open === null) {
        open = { range: [at, at], hasText: false }
        blocks.push(open.range)
      }
      open.range[1] = at
      open.hasText ||= !isBlank
    }
    // Deleted lines stay together with those that replace them.
    if (isBlank && kind !== 'deleted' && open?.hasText) open = null
  }
  return blocks
}

/**
 * Leaves out the lines of a file that only other passages have. Returns undefined if no passage is
 * left, and the file itself if all are.
 */
export function keepPassages(
  file: FileDiff,
  passages: readonly Passage[],
  kept: (passage: Passage) => boolean,
): FileDiff | undefined {
  const wanted = passages.filter(kept)
  if (wanted.length === passages.length) return file
  if (wanted.length === 0) return undefined
  const hunks = [...Map.groupBy(wanted, ({ hunk }) => hunk)].flatMap(([hunk, own]) =>
    mergeRanges(own).map(([from, to]) => sliceHunk(hunk, from, to)),
  )
  const count = (kind: DiffLine['kind']) =>
    hunks.flatMap(({ lines }) => lines).filter((line) => line.kind === kind).length
  return { ...file, hunks, additions: count('added'), deletions: count('deleted') }
}

function mergeRanges(passages: readonly Passage[]): [from: number, to: number][] {
  const ranges: [number, number][] = []
  for (const { from, to } of passages) {
    const last = ranges.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else ranges.push([from, to])
  }
  return ranges
}

function sliceHunk(hunk: DiffHunk, from: number, to: number): DiffHunk {
  const before = hunk.lines.slice(0, from)
  const lines = hunk.lines.slice(from, to)
  const countOld = (some: readonly DiffLine[]) => some.filter(({ kind }) => kind !== 'added').length
  const countNew = (some: readonly DiffLine[]) =>
    some.filter(({ kind }) => kind !== 'deleted').length
  return {
    ...hunk,
    oldStart: hunk.oldStart + countOld(before),
    oldCount: countOld(lines),
    newStart: hunk.newStart + countNew(before),
    newCount: countNew(lines),
    lines,
  }
}
