// Maps the lines of a file at the base to lines at the head.
import type { FileDiff } from '../../domain/diff.ts'

export interface LineMap {
  /** Contains the lines at the head that the change added. */
  readonly added: ReadonlySet<number>
  /** Returns undefined if the change deleted the line. */
  toHead(baseLine: number): number | undefined
}

export function createLineMap({ hunks }: Pick<FileDiff, 'hunks'>): LineMap {
  const added = new Set<number>()
  const headLines = new Map<number, number | undefined>()
  for (const { lines } of hunks) {
    for (const { kind, oldLine, newLine } of lines) {
      if (kind === 'added' && newLine !== null) added.add(newLine)
      if (kind !== 'added' && oldLine !== null)
        headLines.set(oldLine, kind === 'context' ? (newLine ?? undefined) : undefined)
    }
  }
  const hunkEnds = hunks.map(({ oldStart, oldCount, newStart, newCount }) => ({
    oldEnd: endOfRange(oldStart, oldCount),
    newEnd: endOfRange(newStart, newCount),
  }))
  return {
    added,
    toHead(line) {
      if (headLines.has(line)) return headLines.get(line)
      const precedingHunk = hunkEnds.findLast(({ oldEnd }) => oldEnd <= line)
      if (precedingHunk === undefined) return line
      return line + precedingHunk.newEnd - precedingHunk.oldEnd
    },
  }
}

/** Calculates the first line after a range. An empty range in a diff starts one line too early. */
function endOfRange(start: number, count: number): number {
  return count === 0 ? start + 1 : start + count
}
