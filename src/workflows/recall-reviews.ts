// Recalls what earlier reviews of a pull request found, and what became of it.
import type { AppContext } from '../context.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import type { Access } from '../platforms/platform.ts'
import type { EarlierReviews } from '../reviewers/reviewer.ts'
import { listFindings } from './record-review.ts'

/** What was found before on this pull request. */
export async function recallEarlierReviews(
  ctx: Pick<AppContext, 'db' | 'platform' | 'log'>,
  _access: Access,
  ref: PullRequestRef,
  _signal: AbortSignal,
): Promise<EarlierReviews> {
  return { findings: await listFindings(ctx.db, ref), seenHunks: new Set() }
}
