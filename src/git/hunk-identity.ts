// Computes identities of changed lines that stay the same across pushes.
import { hash } from 'node:crypto'
import type { DiffHunk, DiffLine, DiffSide } from '../domain/diff.ts'

/** The number of lines before and after a line that are part of its identity. */
const neighborLines = 2

/**
 * Identifies each changed line of a hunk by 16 hex digits. They depend only on the line and its
 * nearest neighbors, so they survive moved lines, renames, rebases and distant changes in the hunk.
 */
export function identifyLines({ lines }: DiffHunk): Map<DiffLine, string> {
  const texts = lines.map(({ kind, text }) => `${kind[0]}${text}\n`)
  const identities = new Map<DiffLine, string>()
  for (const [index, line] of lines.entries()) {
    if (line.kind === 'context') continue
    const linesBefore = Math.min(index, neighborLines)
    const neighborhood = texts.slice(index - linesBefore, index + neighborLines + 1).join('')
    const digest = hash('sha256', `${linesBefore}\n${neighborhood}`)
    identities.set(line, digest.slice(0, 16))
  }
  return identities
}

/** Returns what says that rules have read a line; its identity says that models have. */
export function markReadByRules(identity: string): string {
  return hash('sha256', `rules\n${identity}`).slice(0, 16)
}

/** Whether all changed lines of a hunk are in `seen`. */
export function isSeenHunk(hunk: DiffHunk, seen: ReadonlySet<string>): boolean {
  return seen.size > 0 && [...identifyLines(hunk).values()].every((identity) => seen.has(identity))
}

/**
 * Whether all changed lines in a range of one side were seen. If the range contains no changed
 * lines, the whole hunk is checked.
 *
 * @param identities the result of `identifyLines` for the hunk, which is slow for large hunks
 */
export function areSeenLines(
  identities: ReadonlyMap<DiffLine, string>,
  { side, startLine, endLine }: { side: DiffSide; startLine: number; endLine: number },
  isSeen: (identity: string) => boolean,
): boolean {
  const inRange = [...identities].filter(([line]) => {
    const number = side === 'RIGHT' ? line.newLine : line.oldLine
    return number !== null && number >= startLine && number <= endLine
  })
  const wanted = inRange.length === 0 ? [...identities] : inRange
  return wanted.every(([, identity]) => isSeen(identity))
}
