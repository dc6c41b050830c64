// Runs claimed scans of repositories, and settles how they end.

import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { LeaseLostError, UmpireError } from '../domain/errors.ts'
import {
  beginScan,
  type ClaimedScan,
  endScan,
  requeueScan,
  type ScanOutcome,
} from '../work/scans.ts'
import { type Claim, describeExhaustion, type RequeueOptions } from '../work/work-items.ts'
import { describeFailure, WorkerStopping } from '../workflows/describe-failure.ts'
import { scanRepository } from '../workflows/scan-repository.ts'

/** Runs a claimed scan. Throws only if the database does. */
export async function runScan(ctx: AppContext, claim: Claim, signal: AbortSignal): Promise<void> {
  const scan = await beginScan(ctx.db, claim)
  if (scan !== null) await scanBegun(ctx, scan, signal)
}

/** Stores the failure of a scan whose workers were lost too often. */
export async function failScan(ctx: AppContext, claim: Claim): Promise<void> {
  await end(ctx, claim, { status: 'failed', failure: describeExhaustion(claim) })
  ctx.log.error({ repo: claim.repo }, 'The scan failed: its workers were lost too often')
}

/** Throws only if its end can't be stored. */
async function scanBegun(ctx: AppContext, scan: ClaimedScan, signal: AbortSignal): Promise<void> {
  const log = ctx.log.child({ repo: scan.repo, scan_attempt: scan.attempt })
  log.info({}, 'The scan begins')
  try {
    await scanRepository({ ...ctx, log }, { scan, signal })
  } catch (error) {
    await settleScan({ ...ctx, log }, scan, signal.aborted ? signal.reason : error)
  }
}

/** Stores the end of an interrupted scan, or returns it to the queue. */
async function settleScan(ctx: AppContext, scan: ClaimedScan, error: unknown): Promise<void> {
  if (error instanceof LeaseLostError) {
    ctx.metrics.leasesLost.inc({ work: 'scan' })
    return ctx.log.warn({}, 'The scan was taken over by another worker')
  }
  if (error instanceof WorkerStopping) {
    ctx.log.info({}, 'The scan returns to the queue because the worker stops')
    return requeue(ctx, scan, { delaySeconds: 0, countsAsAttempt: false })
  }
  const { message, code, isFinal, waitsForOperator, delaySeconds } = describeFailure(
    ctx.config.review,
    scan.attempt,
    error,
  )
  const failure = { message, code }
  if (error instanceof UmpireError && error.code === 'disconnected') {
    ctx.log.info({}, 'The repository was disconnected: its stored knowledge stays as it is')
    return end(ctx, scan, { status: 'completed', failure })
  }
  if (isFinal) {
    ctx.log.error({ err: error }, 'The scan failed')
    return end(ctx, scan, { status: 'failed', failure })
  }
  ctx.log.warn(
    { err: error, retry_in_seconds: delaySeconds },
    'The scan failed and will be retried',
  )
  return requeue(ctx, scan, { delaySeconds, countsAsAttempt: !waitsForOperator, failure })
}

function requeue(ctx: AppContext, scan: Claim, options: RequeueOptions): Promise<void> {
  return transactionWithRetry(ctx.db, (tx) => requeueScan(tx, scan, options))
}

function end(ctx: AppContext, scan: Claim, options: ScanOutcome): Promise<void> {
  return transactionWithRetry(ctx.db, (tx) => endScan(tx, scan, options))
}
