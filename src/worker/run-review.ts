// Claims a pull request's run, reviews under a lease that is kept alive, and settles how it ends.
import type { AppContext } from '../context.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { keepLease } from '../jobs/leases.ts'
import { claimRun, extendLease } from '../jobs/runs.ts'
import { type ChosenAccess, chooseAccess, withAccess } from '../workflows/choose-access.ts'
import { reviewPullRequest } from '../workflows/review-pull-request.ts'
import type { RunBudgets } from '../workflows/run-budgets.ts'
import { settleFault, showFailure } from '../workflows/settle-fault.ts'

/** Throws only when the database does. */
export async function runReview(
  ctx: AppContext,
  worker: { name: string; budgets: RunBudgets; stopping: AbortSignal },
  ref: PullRequestRef,
): Promise<void> {
  const { leaseSeconds, maxAttempts } = ctx.config.review
  const claim = await claimRun(ctx.db, ref, { worker: worker.name, leaseSeconds, maxAttempts })
  if (claim.kind === 'later') {
    await ctx.db.transaction().execute((tx) => ctx.wakeUps.reviews.wake(tx, [ref], claim.seconds))
  }
  if (claim.kind === 'exhausted') {
    ctx.log.error(ref, 'The review was given up: its worker was lost in every try')
    ctx.metrics.reviews.inc({ end: 'failed' })
    const access = await chooseAccess(ctx, ref.repo).catch(() => null)
    if (access) await showFailure(ctx, ref, access, 'Its worker was lost in every try.')
  }
  if (claim.kind !== 'claimed') return
  const { run } = claim
  const log = ctx.log.child({ run: run.id, repo: run.repo, pull_request: run.number, attempt: run.attempt })
  log.info({}, 'The review begins')
  if (run.attempt === 1) ctx.metrics.reviewWait.observe({}, run.waitedSeconds)
  const lease = keepLease(leaseSeconds, () => extendLease(ctx.db, run, leaseSeconds))
  const signal = AbortSignal.any([worker.stopping, lease.signal])
  const budget = await worker.budgets.open(run.id)
  let access: ChosenAccess | null = null
  const review = (chosen: ChosenAccess) => {
    access = chosen
    return reviewPullRequest({ ...ctx, log }, { run, access, budget, signal })
  }
  try {
    await withAccess({ ...ctx, log }, run.repo, review, signal)
    log.info({}, 'The review is done')
  } catch (error) {
    await settleFault({ ...ctx, log }, { run, access, budget }, signal.aborted ? signal.reason : error)
  } finally {
    worker.budgets.close(budget)
    lease.stop()
  }
}
