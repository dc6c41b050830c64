// By what changed code is known again after the next push.
import { createHash } from 'node:crypto'
import type { DiffHunk, DiffLine, DiffSide } from '../domain/diff.ts'

/** How many lines before and after one belong to its identity: a line is another one when its neighbours change. */
const neighborLines = 2

/**
 * The identities of a hunk's changed lines, 16 hex digits each. They are of the line and its nearest neighbours, so that
 * they survive moved lines, renames, rebases and changes further away in the same hunk.
 */
export function identifyLines({ lines }: DiffHunk): Map<DiffLine, string> {
  const written = lines.map(({ kind, text }) => `${kind[0]}${text}\n`)
  return new Map(
    lines.flatMap((line, at) => {
      if (line.kind === 'context') return []
      const near = written.slice(Math.max(0, at - neighborLines), at + neighborLines + 1).join('')
      const hash = createHash('sha256')
        .update(`${Math.min(at, neighborLines)}\n${near}`)
        .digest('hex')
      return [[line, hash.slice(0, 16)] as const]
    }),
  )
}

/** Whether all that changed in a hunk was seen before. */
export function isSeenHunk(hunk: DiffHunk, seen: ReadonlySet<string>): boolean {
  return seen.size > 0 && [...identifyLines(hunk).values()].every((identity) => seen.has(identity))
}

/** The same of some lines of one side; of their whole hunk where they themselves are no changed ones. */
export function areSeenLines(
  hunk: DiffHunk,
  { side, startLine, endLine }: { side: DiffSide; startLine: number; endLine: number },
  seen: ReadonlySet<string>,
): boolean {
  const identities = identifyLines(hunk)
  const named = [...identities].filter(([line]) => {
    const number = side === 'RIGHT' ? line.newLine : line.oldLine
    return number !== null && number >= startLine && number <= endLine
  })
  return named.length === 0
    ? isSeenHunk(hunk, seen)
    : named.every(([, identity]) => seen.has(identity))
}
