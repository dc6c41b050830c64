// Requests another review in the name of a person who may write to the repository.
import { type Actor, recordAudit } from '../accounts/audit.ts'
import type { Db } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import {
  findNewestEvent,
  fullReviewEvent,
  insertReviewRequest,
  isRetryWaiting,
  retryEvent,
} from '../events/review-requests.ts'

/** Returns the name that a pull request has in the audit log. */
export const nameOf = ({ repo, number }: PullRequestRef) => `${repo}#${number}`

/**
 * Requests another review, unless such a request waits. It overrides what the settings skip. Call
 * it under the pull request's lock.
 */
export async function requestReview(tx: Db, ref: PullRequestRef, person: Actor): Promise<void> {
  if (!(await isRetryWaiting(tx, ref))) await insertRequest(tx, ref, person, retryEvent)
}

/** Requests a review that reuses nothing of earlier ones. Otherwise like `requestReview`. */
export async function requestFullReview(tx: Db, ref: PullRequestRef, person: Actor): Promise<void> {
  if (await isRetryWaiting(tx, ref, [fullReviewEvent])) return
  await insertRequest(tx, ref, person, fullReviewEvent)
}

async function insertRequest(
  tx: Db,
  ref: PullRequestRef,
  person: Actor,
  type: typeof retryEvent | typeof fullReviewEvent,
): Promise<void> {
  const id = await findNewestEvent(tx, ref)
  if (id === undefined) return
  await insertReviewRequest(tx, ref, { id, type })
  await recordAudit(tx, person, 'review_retried', nameOf(ref))
}
