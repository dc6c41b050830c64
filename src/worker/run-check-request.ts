// Answers claimed requests at checks, and settles how they end.
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { LeaseLostError } from '../domain/errors.ts'
import { type Claim, finish, requeue } from '../work/work-items.ts'
import { answerCheckRequest } from '../workflows/answer-check-request.ts'
import { describeFailure, WorkerStopping } from '../workflows/describe-failure.ts'

/** Answers the claimed request. Throws only if the database does. */
export async function runCheckRequest(
  ctx: AppContext,
  claim: Claim,
  signal: AbortSignal,
): Promise<void> {
  const log = ctx.log.child({ repo: claim.repo, check_request: claim.number })
  try {
    await answerCheckRequest({ ...ctx, log }, claim, signal)
  } catch (error) {
    await settle({ ...ctx, log }, claim, signal.aborted ? signal.reason : error)
  }
}

/** Drops a request that can't be answered: its sender can repeat it. */
export async function dropCheckRequest(ctx: AppContext, claim: Claim): Promise<void> {
  await transactionWithRetry(ctx.db, (tx) => finish(tx, claim))
  ctx.log.error({ repo: claim.repo }, 'A request at a check was dropped after its last attempt')
}

async function settle(ctx: AppContext, claim: Claim, error: unknown): Promise<void> {
  if (error instanceof LeaseLostError) {
    ctx.metrics.leasesLost.inc({ work: 'check' })
    return
  }
  if (error instanceof WorkerStopping) {
    const options = { delaySeconds: 0, countsAsAttempt: false }
    await transactionWithRetry(ctx.db, (tx) => requeue(tx, claim, options))
    return
  }
  const { message, code, isFinal, waitsForOperator, delaySeconds } = describeFailure(
    ctx.config.review,
    claim.attempt,
    error,
  )
  if (isFinal) {
    ctx.log.error({ err: error }, 'A request at a check could not be answered')
    await transactionWithRetry(ctx.db, (tx) => finish(tx, claim))
    return
  }
  ctx.log.warn({ err: error }, 'A request at a check failed and will be retried')
  const failure = { message, code }
  const options = { delaySeconds, countsAsAttempt: !waitsForOperator, failure }
  await transactionWithRetry(ctx.db, (tx) => requeue(tx, claim, options))
}
