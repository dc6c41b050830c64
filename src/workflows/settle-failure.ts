// Settles an interrupted review: it was taken over, is retried, or has failed.
import { recordSpend } from '../analytics/model-spend.ts'
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { ConnectionEndedError, LeaseLostError } from '../domain/errors.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import type { Budget } from '../models/index.ts'
import type { Access, ReviewProgress } from '../platforms/platform.ts'
import { assertCanWrite, type ClaimedRun, endRun, requeueRun } from '../work/runs.ts'
import type { ChosenAccess } from './choose-access.ts'
import { describeFailure, WorkerStopping } from './describe-failure.ts'
import { checkName, renderCheckProgress } from './posting/render-check.ts'
import { countReview } from './record-review.ts'

interface InterruptedReview {
  readonly run: ClaimedRun
  /** Null if it ended before a token was chosen. */
  readonly access: ChosenAccess | null
  /** Null if it ended before a model could be called. */
  readonly budget: Budget | null
}

/**
 * Stores the end of an interrupted review, or requeues it. Throws only if the database fails, or if
 * the lease is lost too.
 */
export async function settleFailure(
  ctx: AppContext,
  review: InterruptedReview,
  error: unknown,
): Promise<void> {
  const { run } = review
  if (error instanceof LeaseLostError) {
    await recordSpend(ctx.db, run, modelUsesOf(review))
    ctx.metrics.leasesLost.inc({ work: 'review' })
    ctx.log.warn({}, 'The review was taken over by another worker')
    return
  }
  if (error instanceof WorkerStopping) {
    await requeue(ctx, review, { delaySeconds: 0, countsAsAttempt: false })
    ctx.log.info({}, 'The review returns to the queue because the worker stops')
    return
  }
  const { message, code, isFinal, waitsForOperator, delaySeconds } = describeFailure(
    ctx.config.review,
    run.attempt,
    error,
  )
  if (isFinal) {
    ctx.log.error({ err: error }, 'The review failed')
    await fail(ctx, review, { message, code })
  } else {
    const text = waitsForOperator
      ? 'The review waits for the operator'
      : 'The review failed and will be retried'
    ctx.log.warn({ err: error, retry_in_seconds: delaySeconds }, text)
    await requeue(ctx, review, {
      delaySeconds,
      countsAsAttempt: !waitsForOperator,
      failure: { message, code },
    })
  }
}

async function fail(
  ctx: AppContext,
  review: InterruptedReview,
  failure: { message: string; code: string },
): Promise<void> {
  const { run, access } = review
  const writableAccess = await findWritableAccess(ctx, run, access)
  if (writableAccess) await ensureFailureCheck(ctx, run, writableAccess, failure.message)
  const seconds = await transactionWithRetry(ctx.db, async (tx) => {
    const seconds = await endRun(tx, run, { kind: 'failed', ...failure })
    await recordSpend(tx, run, modelUsesOf(review))
    return seconds
  })
  countReview(ctx.metrics, 'failed', seconds)
}

/** Returns null if the connection behind the access has ended. Throws LeaseLostError. */
async function findWritableAccess(
  ctx: AppContext,
  run: ClaimedRun,
  access: ChosenAccess | null,
): Promise<ChosenAccess | null> {
  try {
    await assertCanWrite(ctx.db, run, access)
    return access
  } catch (error) {
    if (error instanceof ConnectionEndedError) return null
    throw error
  }
}

async function requeue(
  ctx: AppContext,
  review: InterruptedReview,
  options: Parameters<typeof requeueRun>[2],
): Promise<void> {
  const { run } = review
  await transactionWithRetry(ctx.db, async (tx) => {
    await requeueRun(tx, run, options)
    await recordSpend(tx, run, modelUsesOf(review))
  })
}

/** A failed review may have read nothing, so it blocks. */
const failedState: ReviewProgress = { end: 'incomplete', blocks: true }

const modelUsesOf = ({ budget }: InterruptedReview) => budget?.uses ?? []

/** Shows the failure of the review on the commit. Errors are logged only. */
export async function ensureFailureCheck(
  ctx: Pick<AppContext, 'platform' | 'log'>,
  ref: PullRequestRef,
  access: Access,
  message: string,
): Promise<void> {
  try {
    const signal = AbortSignal.timeout(15_000)
    const { head, url } = await ctx.platform.getPullRequest(access, ref.number, signal)
    const text = `Review failed: ${message}`.slice(0, 140)
    const check = { ...renderCheckProgress(failedState, text), name: checkName }
    const beforeWrite = async () => {}
    await ctx.platform.ensureCheck(access, { ...check, sha: head.sha, url, beforeWrite }, signal)
  } catch (error) {
    ctx.log.warn({ err: error }, 'The failure could not be shown on the commit')
  }
}
