// Shows on a commit that its review is in progress, or that it ended without one.
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { UmpireError } from '../domain/errors.ts'
import type { PlatformRequest } from '../domain/platform-request.ts'
import type { PullRequest } from '../domain/pull-request.ts'
import type { ReviewProgress } from '../platforms/platform.ts'
import { findFailureCheck, removeFailureCheck } from '../work/failure-checks.ts'
import { assertCanWrite, readShownHead, saveShownHead } from '../work/runs.ts'
import { type Claim, finish } from '../work/work-items.ts'
import type { ChosenAccess } from './choose-access.ts'
import { checkName, renderCheckProgress } from './posting/render-check.ts'
import { ensureCheckIfAllowed } from './publish-review.ts'
import type { ReviewStep } from './review-task.ts'
import { passCheckOn } from './share-checks.ts'

/** Shows that the review of the head began. */
export async function showStart(
  ctx: AppContext,
  task: ReviewStep,
  pullRequest: PullRequest,
): Promise<void> {
  await saveShownHead(ctx.db, task.run, pullRequest.head.sha)
  await showProgress(ctx, task, pullRequest, { state: 'pending', text: 'Review in progress' })
}

/** Ends the check of the head that the run began with, if the head moved since. */
export async function showSuperseded(
  ctx: AppContext,
  task: ReviewStep,
  pullRequest: PullRequest,
): Promise<void> {
  const { head } = pullRequest
  const shown = await readShownHead(ctx.db, task.run)
  if (shown === null || shown === head.sha) return
  if (!(await passCheckOn(ctx, task.run, shown))) {
    const former = { ...pullRequest, head: { ...head, sha: shown } }
    const text = `Superseded by ${head.sha.slice(0, 7)}`
    await showProgress(ctx, task, former, { state: { end: 'skipped', blocks: true }, text })
  }
  await saveShownHead(ctx.db, task.run, null)
}

/** Replaces what the check shows. A platform that refuses it is only logged. */
export async function showProgress(
  ctx: AppContext,
  { run, access, signal }: ReviewStep,
  { head, url }: PullRequest,
  { state, text }: { state: ReviewProgress; text: string },
): Promise<void> {
  // A worker that was suspended must not overwrite the check of another worker.
  const beforeWrite = () => assertCanWrite(ctx.db, run, access)
  const check = { ...renderCheckProgress(state, text), name: checkName, beforeWrite }
  await ensureCheckIfAllowed(ctx, access, { ...check, sha: head.sha, url }, signal)
}

/** A failed review may have read nothing, so it blocks. */
const failedState: ReviewProgress = { end: 'incomplete', blocks: true }

/** Shows that a review failed, and finishes the work. Leaves the check to a later review. */
export async function showFailure(
  ctx: AppContext,
  { claim, access, signal }: { claim: Claim; access: ChosenAccess; signal: AbortSignal },
  { number, runId, message }: Extract<PlatformRequest, { kind: 'failed_review' }>,
): Promise<void> {
  const { head, url } = await ctx.platform.getPullRequest(access, number, signal)
  const run = { runId, headSha: head.sha }
  const sha = await findFailureCheck(ctx.db, run)
  if (sha === null) return transactionWithRetry(ctx.db, (tx) => finish(tx, claim))
  const beforeWrite = async () => {
    await assertCanWrite(ctx.db, claim, access)
    if ((await findFailureCheck(ctx.db, run)) !== null) return
    throw new UmpireError('reviewed_again', 'A later review has begun.', { retryable: true })
  }
  const text = `Review failed: ${message}`.slice(0, 140)
  const check = { ...renderCheckProgress(failedState, text), name: checkName, beforeWrite }
  await ensureCheckIfAllowed(ctx, access, { ...check, sha, url }, signal)
  await transactionWithRetry(ctx.db, async (tx) => {
    await removeFailureCheck(tx, claim)
    await finish(tx, claim)
  })
}
