// Reviews a claimed pull request, and settles how the review ends.
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { Budget } from '../models/index.ts'
import { requestFailureCheck } from '../work/failure-checks.ts'
import { beginRun, type ClaimedRun, failExhaustedRun } from '../work/runs.ts'
import type { Claim } from '../work/work-items.ts'
import { type ChosenAccess, withAccess } from '../workflows/choose-access.ts'
import { openRunBudget } from '../workflows/open-budget.ts'
import { reviewPullRequest } from '../workflows/review-pull-request.ts'
import { settleFailure } from '../workflows/settle-failure.ts'

/** Reviews the claimed pull request. Throws only if the database does. */
export async function runReview(ctx: AppContext, claim: Claim, signal: AbortSignal): Promise<void> {
  const run = await beginRun(ctx.db, claim)
  if (run !== null) await reviewBegun(ctx, run, signal)
}

/** Stores the failure of a review whose workers were lost too often. */
export async function failReview(ctx: AppContext, claim: Claim): Promise<void> {
  const { repo, number } = claim
  await transactionWithRetry(ctx.db, async (tx) => {
    const runId = await failExhaustedRun(tx, claim)
    if (runId === undefined) return
    const check = { source: ctx.platform.id, runId, message: 'Its worker was lost too often.' }
    await requestFailureCheck(tx, claim, check)
  })
  ctx.log.error({ repo, number }, 'The review failed: its workers were lost too often')
  ctx.metrics.reviews.inc({ end: 'failed' })
}

/** Throws only if its end can't be stored. */
async function reviewBegun(ctx: AppContext, run: ClaimedRun, signal: AbortSignal): Promise<void> {
  const log = ctx.log.child({
    run: run.id,
    repo: run.repo,
    pull_request: run.number,
    attempt: run.attempt,
  })
  log.info({}, 'The review begins')
  if (run.isNew) ctx.metrics.reviewWait.observe({}, run.waitedSeconds)
  let budget: Budget | null = null
  try {
    const opened = await openRunBudget(ctx, run)
    budget = opened
    const review = (access: ChosenAccess) =>
      reviewPullRequest({ ...ctx, log }, { run, access, budget: opened, signal })
    await withAccess({ ...ctx, log }, run.repo, review, signal)
    log.info({}, 'The review is done')
  } catch (error) {
    await settleFailure({ ...ctx, log }, { run, budget }, signal.aborted ? signal.reason : error)
  }
}
