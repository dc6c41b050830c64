// Tells which lines of a file a change touched, and where the others were moved to.
import type { FileDiff } from '../../domain/diff.ts'

export interface LineMap {
  /** Lines at the head that the change wrote. */
  readonly added: ReadonlySet<number>
  /** Where a line of the base stands at the head; undefined where the change deleted it. */
  toHead(baseLine: number): number | undefined
}

/** Reads the lines of a file from its diff. */
export function createLineMap({ hunks }: Pick<FileDiff, 'hunks'>): LineMap {
  const added = new Set<number>()
  const moved = new Map<number, number | undefined>()
  for (const { lines } of hunks) {
    for (const { kind, oldLine, newLine } of lines) {
      if (kind === 'added' && newLine !== null) added.add(newLine)
      if (kind !== 'added' && oldLine !== null)
        moved.set(oldLine, kind === 'context' ? (newLine ?? undefined) : undefined)
    }
  }
  const ends = hunks.map(({ oldStart, oldCount, newStart, newCount }) => ({
    // A hunk of no lines names the line before it.
    oldEnd: oldCount === 0 ? oldStart + 1 : oldStart + oldCount,
    shift:
      newStart +
      newCount +
      (newCount === 0 ? 1 : 0) -
      (oldStart + oldCount + (oldCount === 0 ? 1 : 0)),
  }))
  return {
    added,
    toHead(line) {
      if (moved.has(line)) return moved.get(line)
      const shift = ends.findLast(({ oldEnd }) => oldEnd <= line)?.shift ?? 0
      return line + shift
    },
  }
}
