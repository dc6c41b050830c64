// Finds commented ranges in the diff of a change.
import type { Change } from '../src/domain/change.ts'
import type { DiffSide } from '../src/domain/diff.ts'
import type { CommentedRange } from './context-changes.ts'

export function lineKey(side: DiffSide, path: string, line: number): string {
  return `${side}:${path}:${line}`
}

export function sideOf(place: CommentedRange): DiffSide {
  return place.side === 'left' ? 'LEFT' : 'RIGHT'
}

/** The keys of the lines of a commented range that are in the diff. */
export function keysInDiff(change: Change, place: CommentedRange): string[] {
  const side = sideOf(place)
  const file = change.diff.files.find(
    ({ path, oldPath }) => path === place.path || oldPath === place.path,
  )
  const start = place.from_line ?? place.to_line
  return (file?.hunks ?? []).flatMap((hunk) =>
    hunk.lines.flatMap(({ newLine, oldLine }) => {
      const number = side === 'RIGHT' ? newLine : oldLine
      const isInRange = number !== null && number >= start && number <= place.to_line
      return isInRange ? [lineKey(side, place.path, number)] : []
    }),
  )
}

/** Whether all lines of a commented range that are in the diff are among these. */
export function isVisible(
  change: Change,
  place: CommentedRange,
  lines: ReadonlySet<string>,
): boolean {
  const keys = keysInDiff(change, place)
  return keys.length > 0 && keys.every((key) => lines.has(key))
}
