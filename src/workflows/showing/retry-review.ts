// Reviews a pull request once more because somebody asked for it.

import { recordAudit } from '../../accounts/audit.ts'
import { listTokenHolders } from '../../accounts/installations.ts'
import { findConnectedRepository, findScope } from '../../accounts/scope.ts'
import type { Caller } from '../../accounts/tokens.ts'
import type { AppContext } from '../../context.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { RequestError } from '../../domain/errors.ts'
import type { PullRequestRef } from '../../domain/pull-request.ts'
import { findEventPullRequest, insertRequest, retryEvent } from '../../events/retry-event.ts'
import { hasWaitingEvents, lockPullRequest } from '../../jobs/runs.ts'
import { refreshStates } from './live-states.ts'

type RetryContext = Pick<AppContext, 'db' | 'config' | 'keys' | 'platform' | 'log' | 'wakeUps'>

/**
 * Makes an event of its own, which waits for a worker as a delivery would.
 *
 * @param id of an event of the pull request
 * @param signal when to stop asking the platform how the pull request stands
 * @returns the new event's id; undefined where there is no such event that the caller may see
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
  if (!(await mayRetry(ctx, caller, ref.repo))) {
    throw new RequestError('access_denied', 'Repo not connected or access denied')
  }
  await refreshStates(ctx, { userId: caller.userId, pullRequests: [ref] }, signal)
  return transactionWithRetry(ctx.db, async (tx) => {
    const state = await lockPullRequest(tx, ref)
    if (state !== 'open') throw new RequestError('conflict', `The pull request is ${state}: nothing is left to review`)
    if (await hasWaitingEvents(tx, ref)) {
      throw new RequestError('conflict', 'A review of this pull request is waiting or under way already')
    }
    const eventId = await insertRequest(tx, ref, { id, type: retryEvent })
    await ctx.wakeUps.reviews.wake(tx, [ref])
    await recordAudit(tx, caller, 'review_retried', `${ref.repo}#${ref.number}`)
    return eventId
  })
}

/** Who connected the repository; an administrator also where nobody ever did. */
async function mayRetry(ctx: RetryContext, caller: Caller, repo: PullRequestRef['repo']): Promise<boolean> {
  if ((await findConnectedRepository(ctx.db, caller, repo)) !== undefined) return true
  return caller.isAdmin && (await listTokenHolders(ctx.db, repo)).length === 0
}
