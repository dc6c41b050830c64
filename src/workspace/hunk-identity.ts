// By what a hunk is known again after the next push.
import { createHash } from 'node:crypto'
import type { DiffHunk } from '../domain/diff.ts'

/**
 * The identity of what a hunk changes: its added and deleted lines alone, so that it survives moved lines, other
 * context, renames and rebases. 16 hex digits.
 */
export function hunkIdentity(hunk: DiffHunk): string {
  const hash = createHash('sha256')
  for (const { kind, text } of hunk.lines) {
    if (kind !== 'context')
      hash
        .update(kind === 'added' ? '+' : '-')
        .update(text)
        .update('\n')
  }
  return hash.digest('hex').slice(0, 16)
}
