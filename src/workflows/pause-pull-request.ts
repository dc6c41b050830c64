// Pauses and resumes the reviews of a pull request in the name of a person who may write.
import { type Actor, recordAudit } from '../accounts/audit.ts'
import type { Db } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { pauseReviews, readPause, resumeReviews } from '../events/review-pauses.ts'
import { findNewestEvent, insertReviewRequest, redoEvent } from '../events/review-requests.ts'
import { nameOf } from './request-review.ts'

/**
 * Call these under the pull request's lock.
 *
 * @param baseBranch the base whose settings make it a pause; null for a pause that holds for each
 */
export async function pausePullRequest(
  tx: Db,
  ref: PullRequestRef,
  person: Actor,
  baseBranch: string | null,
): Promise<void> {
  await pauseReviews(tx, ref, { by: person.login, baseBranch })
  await recordAudit(tx, person, 'reviews_paused', nameOf(ref))
  await startAgain(tx, ref)
}

export async function resumePullRequest(tx: Db, ref: PullRequestRef, person: Actor): Promise<void> {
  await resumeReviews(tx, ref)
  await recordAudit(tx, person, 'reviews_resumed', nameOf(ref))
  await startAgain(tx, ref)
}

/** Ends the pause by a label that was removed. One by a command stays. */
export async function endLabelPause(tx: Db, ref: PullRequestRef, person: Actor): Promise<void> {
  const pause = await readPause(tx, ref)
  if (pause !== null && pause.baseBranch !== null) return resumePullRequest(tx, ref, person)
  // The label itself may have skipped it.
  await startAgain(tx, ref)
}

/** Requests that the check shows whether the head is reviewed; a valid review is kept. */
async function startAgain(tx: Db, ref: PullRequestRef): Promise<void> {
  const id = await findNewestEvent(tx, ref)
  if (id !== undefined) await insertReviewRequest(tx, ref, { id, type: redoEvent })
}
