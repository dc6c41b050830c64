// Claims a repository's scan, runs it under a lease, and settles how it ends.

import { createFileIndexer, type FileIndexer } from '../code/file-indexer.ts'
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { LeaseLostError, UmpireError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { withLease } from '../jobs/leases.ts'
import {
  type ClaimedScan,
  claimScan,
  endScan,
  extendScanLease,
  requeueScan,
} from '../jobs/scans.ts'
import { describeFailure, WorkerStopping } from '../workflows/describe-failure.ts'
import { scanRepository } from '../workflows/scan-repository.ts'

/**
 * Idle threads stay for a while, because starting them takes longer than indexing a changed file.
 */
const idleIndexerMs = 60_000

/** Runs scans on indexing threads that all scans of a worker share. */
interface Scanner {
  /** Throws only if the database does. */
  run(repo: RepositoryName, stopping: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Creates a scanner. The first scan starts its threads; they end when it was idle for a while. */
export function openScanner(ctx: AppContext, worker: string): Scanner {
  let indexer: (FileIndexer & AsyncDisposable) | null = null
  let idleTimer: NodeJS.Timeout | undefined
  let running = 0
  const close = async () => {
    clearTimeout(idleTimer)
    const closing = indexer
    indexer = null
    await closing?.[Symbol.asyncDispose]()
  }
  return {
    async run(repo, stopping) {
      clearTimeout(idleTimer)
      indexer ??= createFileIndexer()
      running += 1
      try {
        await runScan(ctx, { name: worker, indexer, stopping }, repo)
      } finally {
        running -= 1
        if (running === 0) idleTimer = setTimeout(close, idleIndexerMs).unref()
      }
    },
    close,
  }
}

async function runScan(
  ctx: AppContext,
  worker: { name: string; indexer: FileIndexer; stopping: AbortSignal },
  repo: RepositoryName,
): Promise<void> {
  const { leaseSeconds, maxAttempts, maxLosses } = ctx.config.review
  const claim = await claimScan(ctx.db, repo, {
    worker: worker.name,
    leaseSeconds,
    maxAttempts,
    maxLosses,
  })
  if (claim.kind === 'later') {
    await ctx.db
      .transaction()
      .execute((tx) => ctx.notifications.scans.notify(tx, [repo], claim.seconds))
  }
  if (claim.kind === 'exhausted')
    ctx.log.error({ repo }, 'The scan failed: its workers were lost too often')
  if (claim.kind !== 'claimed') return
  const { run: scan } = claim
  const extend = () => extendScanLease(ctx.db, scan, leaseSeconds)
  await withLease({ seconds: leaseSeconds, extend }, (lost) =>
    scanClaimed(ctx, scan, { ...worker, signal: AbortSignal.any([worker.stopping, lost]) }),
  )
}

/** Throws only if its end can't be stored. */
async function scanClaimed(
  ctx: AppContext,
  scan: ClaimedScan,
  { indexer, signal }: { indexer: FileIndexer; signal: AbortSignal },
): Promise<void> {
  const log = ctx.log.child({ repo: scan.repo, scan_attempt: scan.attempt })
  log.info({}, 'The scan begins')
  try {
    await scanRepository({ ...ctx, log }, { scan, indexer: indexer, signal })
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
  const failure = { error: message, errorCode: code }
  if (error instanceof UmpireError && error.code === 'disconnected') {
    ctx.log.info({}, 'The repository was disconnected: its stored knowledge stays as it is')
    return end(ctx, scan, { status: 'completed', ...failure })
  }
  if (isFinal) {
    ctx.log.error({ err: error }, 'The scan failed')
    return end(ctx, scan, { status: 'failed', ...failure })
  }
  ctx.log.warn(
    { err: error, retry_in_seconds: delaySeconds },
    'The scan failed and will be retried',
  )
  return requeue(ctx, scan, { delaySeconds, countsAsAttempt: !waitsForOperator, ...failure })
}

function requeue(
  ctx: AppContext,
  scan: ClaimedScan,
  options: Parameters<typeof requeueScan>[3],
): Promise<void> {
  return transactionWithRetry(ctx.db, (tx) => requeueScan(tx, ctx.notifications, scan, options))
}

function end(
  ctx: AppContext,
  scan: ClaimedScan,
  options: Parameters<typeof endScan>[3],
): Promise<void> {
  return transactionWithRetry(ctx.db, (tx) => endScan(tx, ctx.notifications, scan, options))
}
