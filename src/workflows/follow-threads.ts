// Looks for dismissals in the threads of open pull requests, and has the verdict decided again where there are some.
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { UmpireError } from '../domain/errors.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { requestVerdictUpdate } from '../events/review-requests.ts'
import { claimThreadChecks } from '../events/thread-checks.ts'
import { hasWaitingEvents, lockPullRequest } from '../jobs/runs.ts'
import type { Access } from '../platforms/platform.ts'
import { chooseAccess } from './choose-access.ts'
import { loadEarlierReviews } from './load-earlier-reviews.ts'

/** Shorter than five minutes by more than a round takes. */
const everySeconds = 200
/** In one round: each costs a call or two of the platform. */
const maxPullRequests = 50

/**
 * Looks at the threads that are due. Hooks of repositories tell of no resolved thread, so this is
 * how one that a maintainer resolved comes to count.
 */
export async function followThreads(ctx: AppContext, signal: AbortSignal): Promise<void> {
  const due = await claimThreadChecks(ctx.db, { limit: maxPullRequests, everySeconds })
  for (const [repo, refs] of Map.groupBy(due, (ref) => ref.repo)) {
    signal.throwIfAborted()
    try {
      const access = await chooseAccess(ctx, repo, signal)
      for (const ref of refs) await followPullRequest(ctx, access, ref, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof UmpireError)) throw error
      // The next round but some looks again.
      ctx.log.debug({ err: error, repo }, 'The threads of a repository could not be looked at')
    }
  }
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
    // A review that is under way looks at the threads itself, or the next round does.
    if (state !== 'open' || (await hasWaitingEvents(tx, ref))) return
    await requestVerdictUpdate(tx, ref)
    await ctx.notifications.reviews.notify(tx, [ref])
  })
  ctx.log.info(
    { ...ref },
    'The verdict is decided again: people dismissed findings, or took that back',
  )
}
