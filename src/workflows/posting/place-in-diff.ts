// Finds the lines of a finding on both sides of the diff.
import type { Diff } from '../../domain/diff.ts'
import type { Finding } from '../../domain/finding.ts'
import type { DiffPlace, LineNumbers } from '../../platforms/platform.ts'

/** @param diff null if it was not read again; then the numbers on the other side are null */
export function placeInDiff(
  { path, side, startLine, endLine }: Pick<Finding, 'path' | 'side' | 'startLine' | 'endLine'>,
  diff: Diff | null,
): DiffPlace {
  const file = diff?.files.find((one) => one.path === path)
  const lines = file?.hunks.flatMap((hunk) => hunk.lines) ?? []
  const find = (number: number): LineNumbers => {
    const isOld = side === 'LEFT'
    const line = lines.find(({ oldLine, newLine }) => (isOld ? oldLine : newLine) === number)
    if (line !== undefined) return { old: line.oldLine, new: line.newLine }
    return isOld ? { old: number, new: null } : { old: null, new: number }
  }
  const oldPath = file?.oldPath ?? path
  return { path, oldPath, side, start: find(startLine), end: find(endLine) }
}
