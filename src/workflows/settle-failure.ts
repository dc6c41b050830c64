// Settles an interrupted review: it was taken over, is retried, or has failed.
import { recordSpend } from '../analytics/model-spend.ts'
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { LeaseLostError } from '../domain/errors.ts'
import type { Budget } from '../models/index.ts'
import { requestFailureCheck } from '../work/failure-checks.ts'
import { type ClaimedRun, endRun, requeueRun } from '../work/runs.ts'
import { describeFailure, WorkerStopping } from './describe-failure.ts'
import { countReview } from './record-review.ts'

interface InterruptedReview {
  readonly run: ClaimedRun
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
    if (review.budget) await recordSpend(ctx.db, run, review.budget)
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
  const { run } = review
  const check = { source: ctx.platform.id, runId: run.id, message: failure.message }
  const seconds = await transactionWithRetry(ctx.db, async (tx) => {
    const seconds = await endRun(tx, run, { kind: 'failed', ...failure })
    await requestFailureCheck(tx, run, check)
    if (review.budget) await recordSpend(tx, run, review.budget)
    return seconds
  })
  countReview(ctx.metrics, 'failed', seconds)
}

async function requeue(
  ctx: AppContext,
  review: InterruptedReview,
  options: Parameters<typeof requeueRun>[2],
): Promise<void> {
  const { run } = review
  await transactionWithRetry(ctx.db, async (tx) => {
    await requeueRun(tx, run, options)
    if (review.budget) await recordSpend(tx, run, review.budget)
  })
}
