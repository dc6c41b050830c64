// Requests another review in the name of a person who may write to the repository.
import { recordAudit } from '../accounts/audit.ts'
import type { Db } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import {
  findNewestEvent,
  insertReviewRequest,
  isRetryWaiting,
  retryEvent,
} from '../events/review-requests.ts'

/** The account is null for people who never signed in. */
export interface Requester {
  readonly userId: number | null
  readonly login: string
}

/** Returns the name that a pull request has in the audit log. */
export const nameOf = ({ repo, number }: PullRequestRef) => `${repo}#${number}`

/**
 * Requests another review, unless such a request waits. It overrides what the settings skip. Call
 * it under the pull request's lock.
 */
export async function requestReview(tx: Db, ref: PullRequestRef, person: Requester): Promise<void> {
  const id = await findNewestEvent(tx, ref)
  if (id === undefined || (await isRetryWaiting(tx, ref))) return
  await insertReviewRequest(tx, ref, { id, type: retryEvent })
  await recordAudit(tx, person, 'review_retried', nameOf(ref))
}
