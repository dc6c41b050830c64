// Computes the lines of a diff that can be commented on.
import type { DiffHunk, DiffSide, FileDiff } from '../domain/diff.ts'

/** Line numbers are 1-based, both ends included. */
interface CommentableRange {
  readonly start: number
  readonly end: number
}

/** The lines of each side that are in the diff, one range per hunk. Context is on both sides. */
export function commentableLines(file: FileDiff): Record<DiffSide, readonly CommentableRange[]> {
  const ranges = (side: DiffSide) =>
    file.hunks.map((hunk) => hunkRange(hunk, side)).filter((range) => range !== null)
  return { LEFT: ranges('LEFT'), RIGHT: ranges('RIGHT') }
}

/** Whether a comment can have these lines: both ends must be in the same hunk, on the same side. */
export function isCommentable(
  file: FileDiff,
  side: DiffSide,
  startLine: number,
  endLine: number,
): boolean {
  return (
    Number.isInteger(startLine) &&
    Number.isInteger(endLine) &&
    startLine <= endLine &&
    commentableLines(file)[side].some(({ start, end }) => start <= startLine && endLine <= end)
  )
}

function hunkRange(hunk: DiffHunk, side: DiffSide): CommentableRange | null {
  const start = side === 'LEFT' ? hunk.oldStart : hunk.newStart
  const count = side === 'LEFT' ? hunk.oldCount : hunk.newCount
  return count === 0 ? null : { start, end: start + count - 1 }
}
