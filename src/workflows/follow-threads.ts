// Finds dismissals in the threads of open pull requests, and requests new verdicts for them.
import type { AppContext, ServiceContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { requestVerdictUpdate } from '../events/review-requests.ts'
import { claimThreadChecks } from '../events/thread-checks.ts'
import type { Access } from '../platforms/platform.ts'
import { hasWaitingEvents, lockPullRequest } from '../work/runs.ts'
import { loadEarlierReviews } from './load-earlier-reviews.ts'
import { tryEach } from './try-each.ts'

/** Five minutes, minus more than the length of a round. */
const everySeconds = 200
/** Limits one round, because each pull request costs one or two API calls. */
const maxPullRequests = 50

/**
 * Checks the threads that are due. Webhooks don't report resolved threads, so dismissals by
 * maintainers are found by polling.
 */
export async function followThreads(
  { db, hosts }: ServiceContext,
  signal: AbortSignal,
): Promise<void> {
  const due = await claimThreadChecks(db, { limit: maxPullRequests, everySeconds })
  await tryEach(hosts, due, signal, followPullRequest)
}

async function followPullRequest(
  ctx: AppContext,
  access: Access,
  ref: PullRequestRef,
  signal: AbortSignal,
): Promise<void> {
  const { haveDismissalsChanged: isChanged } = await loadEarlierReviews(ctx, access, ref, signal)
  if (!isChanged) return
  await transactionWithRetry(ctx.db, async (tx) => {
    const state = await lockPullRequest(tx, ref)
    // A pending or running review reads the threads itself.
    if (state !== 'open' || (await hasWaitingEvents(tx, ref))) return
    await requestVerdictUpdate(tx, ref)
  })
  ctx.log.info({ ...ref }, 'The verdict is decided again: findings were dismissed or reopened')
}
