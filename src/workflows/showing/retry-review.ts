// Requests another review of a pull request in the name of a user.

import { recordAudit } from '../../accounts/audit.ts'
import { listTokenHolders } from '../../accounts/installations.ts'
import { findConnectedRepository, findScope } from '../../accounts/scope.ts'
import type { Caller } from '../../accounts/tokens.ts'
import type { RequestHosts } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { RequestError } from '../../domain/errors.ts'
import type { PullRequestRef } from '../../domain/pull-request.ts'
import {
  findEventPullRequest,
  insertReviewRequest,
  retryEvent,
} from '../../events/review-requests.ts'
import { hasWaitingEvents, lockPullRequest } from '../../work/runs.ts'
import { requireWriteAccess } from '../connecting/require-write-access.ts'
import { refreshStates } from './refresh-states.ts'

interface RetryContext {
  readonly db: Db
  readonly hosts: RequestHosts
}

/**
 * Inserts an event, which waits for a worker like a delivery.
 *
 * @param id of an event of the pull request
 * @param signal ends the requests to the platform
 * @returns the new event's id; undefined if there is no such event that the caller may see
 * @throws RequestError `access_denied` or `conflict`
 */
export async function retryReview(
  ctx: RetryContext,
  caller: Caller,
  id: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const ref = await findEventPullRequest(ctx.db, await findScope(ctx.db, caller), id)
  if (ref === undefined) return undefined
  await requireRetryRight(ctx, caller, ref.repo, signal)
  await refreshStates(ctx, { userId: caller.userId, pullRequests: [ref] }, signal)
  return transactionWithRetry(ctx.db, async (tx) => {
    const state = await lockPullRequest(tx, ref)
    if (state !== 'open')
      throw new RequestError('conflict', `The pull request is ${state}: nothing is left to review`)
    if (await hasWaitingEvents(tx, ref)) {
      throw new RequestError(
        'conflict',
        'A review of this pull request is waiting or under way already',
      )
    }
    const eventId = await insertReviewRequest(tx, ref, { id, type: retryEvent })
    await recordAudit(tx, caller, 'review_retried', `${ref.repo}#${ref.number}`)
    return eventId
  })
}

/**
 * A review costs money. So only users who connected the repository and can write to it may retry,
 * and administrators if it was never connected. If the platform doesn't answer, the connection is
 * enough: making it took more than write access.
 */
async function requireRetryRight(
  ctx: RetryContext,
  caller: Caller,
  repo: PullRequestRef['repo'],
  signal: AbortSignal,
): Promise<void> {
  if ((await findConnectedRepository(ctx.db, caller, repo)) !== undefined) {
    return requireWriteAccess(ctx.hosts.of(repo), caller, repo, signal).catch((error) => {
      if (!(error instanceof RequestError) || error.code === 'access_denied') throw error
    })
  }
  if (caller.isAdmin && (await listTokenHolders(ctx.db, repo)).length === 0) return
  throw new RequestError('access_denied', 'Repo not connected or access denied')
}
