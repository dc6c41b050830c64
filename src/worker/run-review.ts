// Claims a pull request's run, reviews it under a lease, and settles how it ends.
import type { AppContext } from '../context.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { withLease } from '../jobs/leases.ts'
import { type ClaimedRun, claimRun, extendLease } from '../jobs/runs.ts'
import type { Budget } from '../models/index.ts'
import { type ChosenAccess, chooseAccess, withAccess } from '../workflows/choose-access.ts'
import { reviewPullRequest } from '../workflows/review-pull-request.ts'
import type { RunBudgets } from '../workflows/run-budgets.ts'
import { ensureFailureStatus, settleFailure } from '../workflows/settle-failure.ts'

/** Throws only if the database does. */
export async function runReview(
  ctx: AppContext,
  worker: { name: string; budgets: RunBudgets; stopping: AbortSignal },
  ref: PullRequestRef,
): Promise<void> {
  const { leaseSeconds, maxAttempts, maxLosses } = ctx.config.review
  const claim = await claimRun(ctx.db, ref, {
    worker: worker.name,
    leaseSeconds,
    maxAttempts,
    maxLosses,
  })
  if (claim.kind === 'later') {
    await ctx.db
      .transaction()
      .execute((tx) => ctx.notifications.reviews.notify(tx, [ref], claim.seconds))
  }
  if (claim.kind === 'exhausted') {
    ctx.log.error(ref, 'The review failed: its workers were lost too often')
    ctx.metrics.reviews.inc({ end: 'failed' })
    const access = await chooseAccess(ctx, ref.repo).catch(() => null)
    if (access) await ensureFailureStatus(ctx, ref, access, 'Its worker was lost too often.')
  }
  if (claim.kind !== 'claimed') return
  const { run } = claim
  const extend = () => extendLease(ctx.db, run, leaseSeconds)
  await withLease({ seconds: leaseSeconds, extend }, (lost) =>
    reviewClaimed(ctx, run, { ...worker, signal: AbortSignal.any([worker.stopping, lost]) }),
  )
}

/** Throws only if its end can't be stored. */
async function reviewClaimed(
  ctx: AppContext,
  run: ClaimedRun,
  { budgets, signal }: { budgets: RunBudgets; signal: AbortSignal },
): Promise<void> {
  const log = ctx.log.child({
    run: run.id,
    repo: run.repo,
    pull_request: run.number,
    attempt: run.attempt,
  })
  log.info({}, 'The review begins')
  if (run.fence === 1) ctx.metrics.reviewWait.observe({}, run.waitedSeconds)
  let budget: Budget | null = null
  let access: ChosenAccess | null = null
  try {
    const opened = await budgets.open(run)
    budget = opened
    const review = (chosen: ChosenAccess) => {
      access = chosen
      return reviewPullRequest({ ...ctx, log }, { run, access, budget: opened, signal })
    }
    await withAccess({ ...ctx, log }, run.repo, review, signal)
    log.info({}, 'The review is done')
  } catch (error) {
    await settleFailure(
      { ...ctx, log },
      { run, access, budget },
      signal.aborted ? signal.reason : error,
    )
  } finally {
    if (budget) budgets.close(budget)
  }
}
