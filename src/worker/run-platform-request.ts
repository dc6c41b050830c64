// Answers claimed platform requests, and settles how they end.
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { LeaseLostError, PlatformError } from '../domain/errors.ts'
import { readPlatformRequest } from '../work/platform-requests.ts'
import { type Claim, finish, type RequeueOptions, requeue } from '../work/work-items.ts'
import { reportFailedComment } from '../workflows/answer-comment.ts'
import { answerPlatformRequest } from '../workflows/answer-platform-request.ts'
import { describeFailure, WorkerStopping } from '../workflows/describe-failure.ts'

/** Answers the claimed request. Throws only if the database does. */
export async function runPlatformRequest(
  ctx: AppContext,
  claim: Claim,
  signal: AbortSignal,
): Promise<void> {
  const log = ctx.log.child({ repo: claim.repo, platform_request: claim.number })
  try {
    await answerPlatformRequest({ ...ctx, log }, claim, signal)
  } catch (error) {
    await settle({ ...ctx, log }, claim, signal.aborted ? signal.reason : error, signal)
  }
}

/** Nothing extends the lease of work that is dropped. */
const reportMs = 15_000

/** Drops a request that can't be answered: its sender can repeat it. */
export async function dropPlatformRequest(ctx: AppContext, claim: Claim): Promise<void> {
  await reportFailure(ctx, claim, AbortSignal.timeout(reportMs))
  await transactionWithRetry(ctx.db, (tx) => finish(tx, claim))
  ctx.log.error({ repo: claim.repo }, 'A platform request was dropped after its last attempt')
}

/** Answers a command. Senders of other requests see that nothing happened. */
async function reportFailure(ctx: AppContext, claim: Claim, signal: AbortSignal): Promise<void> {
  const request = await readPlatformRequest(ctx.db, claim.number)
  if (request?.kind === 'comment') await reportFailedComment(ctx, { claim, request, signal })
}

async function settle(
  ctx: AppContext,
  claim: Claim,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  if (error instanceof LeaseLostError) {
    ctx.metrics.leasesLost.inc({ work: claim.kind })
    return
  }
  if (error instanceof WorkerStopping) {
    const options = { delaySeconds: 0, countsAsAttempt: false }
    await transactionWithRetry(ctx.db, (tx) => requeue(tx, claim, options))
    return
  }
  const { isFinal, ...options } = planRetry(ctx, claim, error)
  if (isFinal) {
    ctx.log.error({ err: error }, 'A platform request could not be answered')
    await reportFailure(ctx, claim, signal)
    await transactionWithRetry(ctx.db, (tx) => finish(tx, claim))
    return
  }
  ctx.log.warn({ err: error }, 'A platform request failed and will be retried')
  await transactionWithRetry(ctx.db, (tx) => requeue(tx, claim, options))
}

/** People wait for their answers, and a merge queue repeats nothing. */
const maxOutageSeconds = 60 * 60
const maxOutageDelaySeconds = 5 * 60

/**
 * Attempts that end with an outage or a limit of the platform don't count: they say nothing about
 * the request. It waits as long again as it has waited before, so that these outages may last for
 * about an hour.
 */
function planRetry(
  { config }: AppContext,
  claim: Claim,
  error: unknown,
): RequeueOptions & { isFinal: boolean } {
  const { message, code, ...planned } = describeFailure(config.review, claim.attempt, error)
  const failure = { message, code }
  if (!(error instanceof PlatformError && error.retryable)) {
    const { isFinal, delaySeconds, waitsForOperator } = planned
    return { isFinal, delaySeconds, countsAsAttempt: !waitsForOperator, failure }
  }
  const { ageSeconds } = claim
  return {
    // It may have waited for an earlier request, and is tried twice even then.
    isFinal: ageSeconds > maxOutageSeconds && claim.failure !== null,
    delaySeconds: Math.max(planned.delaySeconds, Math.min(ageSeconds, maxOutageDelaySeconds)),
    countsAsAttempt: false,
    failure,
  }
}
