// Claims a repository's scan, scans under a lease that is kept alive, and settles how it ends.

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

/** Starting threads takes longer than reading a changed file. */
const idleIndexerMs = 60_000

/** What scans of a worker share. */
export interface Scanner {
  /** Throws only when the database does. */
  run(repo: RepositoryName, stopping: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Makes the scanner of a worker. Its threads are started by the first scan, and end some time after the last one. */
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
    ctx.log.error({ repo }, 'The scan was given up: its worker was lost too often')
  if (claim.kind !== 'claimed') return
  const { run: scan } = claim
  const extend = () => extendScanLease(ctx.db, scan, leaseSeconds)
  await withLease({ seconds: leaseSeconds, extend }, (lost) =>
    scanClaimed(ctx, scan, { ...worker, signal: AbortSignal.any([worker.stopping, lost]) }),
  )
}

/** Throws only where its end can't be written down. */
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

/** Writes down how a broken-off scan goes on. */
async function settleScan(ctx: AppContext, scan: ClaimedScan, error: unknown): Promise<void> {
  if (error instanceof LeaseLostError) {
    ctx.metrics.leasesLost.inc({ work: 'scan' })
    return ctx.log.warn({}, 'The scan was taken over by another worker')
  }
  if (error instanceof WorkerStopping) {
    ctx.log.info({}, 'The scan is put back because the worker stops')
    return requeue(ctx, scan, { delaySeconds: 0, countsAsAttempt: false })
  }
  const {
    message,
    code,
    isFinal,
    waitsForOperator: waits,
    delaySeconds,
  } = describeFailure(ctx.config.review, scan.attempt, error)
  const why = { error: message, errorCode: code }
  if (error instanceof UmpireError && error.code === 'disconnected') {
    ctx.log.info({}, 'The repository was disconnected: what is known of it stays as it is')
    return end(ctx, scan, { status: 'completed', ...why })
  }
  if (isFinal) {
    ctx.log.error({ err: error }, 'The scan failed')
    return end(ctx, scan, { status: 'failed', ...why })
  }
  ctx.log.warn(
    { err: error, retry_in_seconds: delaySeconds },
    'The scan failed and will be tried again',
  )
  return requeue(ctx, scan, { delaySeconds, countsAsAttempt: !waits, ...why })
}

function requeue(
  ctx: AppContext,
  scan: ClaimedScan,
  how: Parameters<typeof requeueScan>[3],
): Promise<void> {
  return transactionWithRetry(ctx.db, (tx) => requeueScan(tx, ctx.notifications, scan, how))
}

function end(
  ctx: AppContext,
  scan: ClaimedScan,
  how: Parameters<typeof endScan>[3],
): Promise<void> {
  return transactionWithRetry(ctx.db, (tx) => endScan(tx, ctx.notifications, scan, how))
}
