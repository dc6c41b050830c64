// Settles a review that was broken off: taken over, put back for another try, or failed with the reason.
import { recordSpend } from '../analytics/model-spend.ts'
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { ConnectionEndedError, LeaseLostError } from '../domain/errors.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { assertCanWrite, type ClaimedRun, endRun, requeueRun } from '../jobs/runs.ts'
import type { Budget } from '../models/index.ts'
import type { Access, ReviewProgress } from '../platforms/platform.ts'
import type { ChosenAccess } from './choose-access.ts'
import { describeFailure, WorkerStopping } from './describe-failure.ts'
import { statusContext } from './publish-review.ts'
import { countReview } from './record-review.ts'

/** A review that ended before its time. */
export interface InterruptedReview {
  readonly run: ClaimedRun
  /** Null when it ended before there was a token. */
  readonly access: ChosenAccess | null
  /** Null when it ended before a model could be asked. */
  readonly budget: Budget | null
}

/** Writes down how a broken-off review goes on. Throws only when the database does, or when the lease is lost too. */
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
    ctx.log.info({}, 'The review was put back because the worker stops')
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
    const how = waitsForOperator
      ? 'The review waits for the operator'
      : 'The review failed and will be tried again'
    ctx.log.warn({ err: error, retry_in_seconds: delaySeconds }, how)
    await requeue(ctx, review, {
      delaySeconds,
      countsAsAttempt: !waitsForOperator,
      error: message,
      errorCode: code,
    })
  }
}

async function fail(
  ctx: AppContext,
  review: InterruptedReview,
  fault: { message: string; code: string },
): Promise<void> {
  const { run, access } = review
  const writable = await findWritableAccess(ctx, run, access)
  if (writable) await ensureFailureStatus(ctx, run, writable, fault.message)
  const seconds = await transactionWithRetry(ctx.db, async (tx) => {
    const { moreWaiting, seconds } = await endRun(tx, run, 'failed', {
      error: fault.message,
      error_code: fault.code,
    })
    await recordSpend(tx, run, modelUsesOf(review))
    if (moreWaiting) await ctx.notifications.reviews.notify(tx, [run])
    return seconds
  })
  countReview(ctx.metrics, 'failed', seconds)
}

/** The access, unless the connection behind it ended. Throws LeaseLostError. */
async function findWritableAccess(
  ctx: AppContext,
  run: ClaimedRun,
  access: ChosenAccess | null,
): Promise<ChosenAccess | null> {
  try {
    await assertCanWrite(ctx.db, run, access?.installationId ?? null)
    return access
  } catch (error) {
    if (error instanceof ConnectionEndedError) return null
    throw error
  }
}

async function requeue(
  ctx: AppContext,
  review: InterruptedReview,
  how: Parameters<typeof requeueRun>[2],
): Promise<void> {
  const { run } = review
  await transactionWithRetry(ctx.db, async (tx) => {
    await requeueRun(tx, run, how)
    await recordSpend(tx, run, modelUsesOf(review))
    await ctx.notifications.reviews.notify(tx, [run], how.delaySeconds)
  })
}

/** A review that failed read nothing to its end. */
const failed: ReviewProgress = { end: 'incomplete', blocks: true }

const modelUsesOf = ({ budget }: InterruptedReview) => budget?.uses ?? []

/** Says on the commit that the review failed. That it can't be said there, for whatever reason, changes nothing. */
export async function ensureFailureStatus(
  ctx: Pick<AppContext, 'platform' | 'log'>,
  ref: PullRequestRef,
  access: Access,
  message: string,
): Promise<void> {
  try {
    const signal = AbortSignal.timeout(15_000)
    const { head, url } = await ctx.platform.getPullRequest(access, ref.number, signal)
    const description = `Review failed: ${message}`.slice(0, 140)
    const status = { sha: head.sha, context: statusContext, state: failed, description, url }
    await ctx.platform.ensureStatus(access, status, signal)
  } catch (error) {
    ctx.log.warn({ err: error }, 'The failure could not be shown on the commit')
  }
}
