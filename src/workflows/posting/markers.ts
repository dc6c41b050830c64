// Hidden markers by which our own comments on a pull request are found again.
import type { Finding } from '../../domain/finding.ts'
import type { CommentRef } from '../../domain/platform-request.ts'
import type { Thread } from '../../platforms/platform.ts'

/** Finds our summary, regardless of its version, head and run. */
export const summaryMarker = '<!-- umpire:review '

/** Begins each summary. */
export function headMarker(headSha: string, runId: number): string {
  return `${summaryMarker}v=1 head=${headSha} run=${runId} -->`
}

/** Ends an inline comment. A reopened finding gets another, as its old thread is resolved. */
export function findingMarker({
  fingerprint,
  reopened,
}: Pick<Finding, 'fingerprint' | 'reopened'>): string {
  return `<!-- umpire:finding ${fingerprint}${reopened > 0 ? ` reopened=${reopened}` : ''} -->`
}

/** Returns which of these markers ends our comment that opened a thread; undefined if none does. */
export function findMarker(
  { comments: [first] }: Pick<Thread, 'comments'>,
  markers: readonly string[],
): string | undefined {
  const body = first?.own ? first.body.trimEnd() : undefined
  return markers.find((marker) => body?.endsWith(marker))
}

/** Begins the answer to a comment. Comments of both kinds may have the same id. */
export function answerMarker({ id, isInline }: CommentRef): string {
  return `<!-- umpire:answer ${isInline ? 'inline' : 'comment'} ${id} -->`
}

/** Whether a comment is an answer of ours, or says so: people have no reason to. */
export function isOurAnswer(body: string): boolean {
  return body.trimStart().startsWith('<!-- umpire:answer ')
}
