// The worker: claims runs, reviews under a lease that it keeps alive, and settles how each ends, until it is stopped.
import { randomUUID } from 'node:crypto'
import { type ModelUse, recordSpend } from './analytics/spend.ts'
import type { AppContext } from './context.ts'
import { transactionWithRetry } from './db/transaction.ts'
import { LeaseLostError, PlatformError, UmpireError } from './domain/errors.ts'
import type { PullRequestRef } from './domain/pull-request.ts'
import {
  assertLease,
  type ClaimedRun,
  claimRun,
  endAllLeases,
  endRun,
  extendLease,
  findStrandedPullRequests,
  putBackRun,
} from './jobs/runs.ts'
import { createSlots } from './lib/slots.ts'
import type { Access } from './platforms/platform.ts'
import { chooseAccess } from './workflows/choose-access.ts'
import { statusContext } from './workflows/publish-review.ts'
import { createRunBudget, describeSpend, reviewPullRequest } from './workflows/review-pull-request.ts'

/** A running worker. */
export interface Worker {
  /** Claims nothing more; lets reviews finish within the grace time, then puts them back. */
  stop(): Promise<void>
}

/** Why a review is broken off when the worker stops. */
class WorkerStopping extends Error {}

/**
 * Starts a worker.
 *
 * @param exclusive no other process can have the database open: leases left by a dead process end at once
 */
export async function startWorker(ctx: AppContext, options: { exclusive: boolean }): Promise<Worker> {
  const name = `worker-${randomUUID().slice(0, 8)}`
  const slots = createSlots(ctx.config.review.concurrency)
  const breakOff = new AbortController()
  const running = new Set<Promise<void>>()

  async function begin(ref: PullRequestRef): Promise<void> {
    const release = await slots.take()
    const work = runOne(ctx, name, ref, breakOff.signal)
      .catch((error) =>
        ctx.log.error({ err: error, ...ref }, 'A review could not be settled; it is taken up again later'),
      )
      .finally(() => {
        running.delete(work)
        release()
      })
    running.add(work)
  }

  if (options.exclusive) await endAllLeases(ctx.db)
  const sweep = startSweep(ctx)
  await ctx.wakeUps.listen(begin)
  ctx.log.info({ worker: name }, 'The worker is ready')

  return {
    async stop() {
      ctx.log.info({ worker: name, running: running.size }, 'The worker stops: what runs may finish')
      sweep.stop()
      await ctx.wakeUps.pause()
      const grace = setTimeout(
        () => breakOff.abort(new WorkerStopping()),
        ctx.config.review.shutdownGraceSeconds * 1000,
      )
      await Promise.all(running)
      clearTimeout(grace)
    },
  }
}

/** Wakes what waits though nobody holds it, now and from time to time. */
function startSweep(ctx: AppContext): { stop(): void } {
  const sweep = async () => {
    try {
      const stranded = await findStrandedPullRequests(ctx.db)
      if (stranded.length === 0) return
      await ctx.db.transaction().execute((tx) => ctx.wakeUps.wake(tx, stranded))
    } catch (error) {
      ctx.log.warn({ err: error }, 'Looking for stranded reviews failed; the next look comes by itself')
    }
  }
  void sweep()
  const timer = setInterval(sweep, Math.max(1000, (ctx.config.review.leaseSeconds * 1000) / 3))
  return { stop: () => clearInterval(timer) }
}

/** Claims a pull request's run and brings it to its end. */
async function runOne(ctx: AppContext, worker: string, ref: PullRequestRef, stopping: AbortSignal): Promise<void> {
  const { leaseSeconds, maxAttempts } = ctx.config.review
  const claim = await claimRun(ctx.db, ref, { worker, leaseSeconds, maxAttempts })
  if (claim.kind === 'later') {
    await ctx.db.transaction().execute((tx) => ctx.wakeUps.wake(tx, [ref], claim.seconds))
  }
  if (claim.kind === 'exhausted') {
    ctx.log.error(ref, 'The review was given up: its worker was lost in every try')
    await showFailure(ctx, ref, await chooseAccess(ctx, ref.repo), 'Its worker was lost in every try.')
  }
  if (claim.kind !== 'claimed') return
  const { run } = claim
  const log = ctx.log.child({ run: run.id, repo: run.repo, pull_request: run.number, attempt: run.attempt })
  log.info({}, 'The review begins')
  const lease = keepLease(ctx, run)
  const signal = AbortSignal.any([stopping, lease.signal])
  const budget = createRunBudget(ctx)
  let access: Access | null = null
  try {
    access = await chooseAccess(ctx, run.repo)
    await reviewPullRequest({ ...ctx, log }, { run, access, budget, signal })
    log.info({}, 'The review is done')
  } catch (error) {
    const spend = describeSpend(ctx, budget)
    await settleFault({ ...ctx, log }, run, access, spend, signal.aborted ? signal.reason : error)
  } finally {
    lease.stop()
  }
}

/** Prolongs the lease until stopped; the signal fires when it is lost, or couldn't be prolonged in time. */
function keepLease(ctx: AppContext, run: ClaimedRun): { signal: AbortSignal; stop(): void } {
  const lost = new AbortController()
  const { leaseSeconds } = ctx.config.review
  let goodUntil = performance.now() + leaseSeconds * 1000
  const prolong = async () => {
    const asked = performance.now()
    try {
      await extendLease(ctx.db, run, leaseSeconds)
      goodUntil = asked + leaseSeconds * 1000
    } catch (error) {
      if (error instanceof LeaseLostError || performance.now() > goodUntil) lost.abort(new LeaseLostError())
    }
  }
  const timer = setInterval(prolong, (leaseSeconds * 1000) / 3)
  return { signal: lost.signal, stop: () => clearInterval(timer) }
}

async function settleFault(
  ctx: AppContext,
  run: ClaimedRun,
  access: Access | null,
  spend: ModelUse,
  error: unknown,
): Promise<void> {
  if (error instanceof LeaseLostError) {
    await recordSpend(ctx.db, run.id, spend)
    ctx.log.warn({}, 'The review was taken over by another worker')
    return
  }
  if (error instanceof WorkerStopping) {
    await putBack(ctx, run, spend, { delaySeconds: 0, countsAsAttempt: false })
    ctx.log.info({}, 'The review was put back because the worker stops')
    return
  }
  const { message, code, isFinal, delaySeconds } = describeFault(ctx, run, error)
  if (!isFinal) {
    ctx.log.warn({ err: error, retry_in_seconds: delaySeconds }, 'The review failed and will be tried again')
    await putBack(ctx, run, spend, { delaySeconds, countsAsAttempt: true, error: message, errorCode: code })
    return
  }
  ctx.log.error({ err: error }, 'The review failed')
  await assertLease(ctx.db, run)
  if (access) await showFailure(ctx, run, access, message)
  await transactionWithRetry(ctx.db, async (tx) => {
    const { moreWaiting } = await endRun(tx, run, 'failed', { error: message, error_code: code })
    await recordSpend(tx, run.id, spend)
    if (moreWaiting) await ctx.wakeUps.wake(tx, [run])
  })
}

async function putBack(
  ctx: AppContext,
  run: ClaimedRun,
  spend: ModelUse,
  how: Parameters<typeof putBackRun>[2],
): Promise<void> {
  await transactionWithRetry(ctx.db, async (tx) => {
    await putBackRun(tx, run, how)
    await recordSpend(tx, run.id, spend)
    await ctx.wakeUps.wake(tx, [run], how.delaySeconds)
  })
}

/** Expected errors say whether trying again can help; of others we don't know, so they get their tries too. */
function describeFault(ctx: AppContext, run: ClaimedRun, error: unknown) {
  const isExpected = error instanceof UmpireError
  const canRetry = isExpected ? error.retryable : true
  const backoff = ctx.config.review.retrySeconds * 2 ** (run.attempt - 1)
  const asked = isExpected ? (error.retryAfterMs ?? 0) / 1000 : 0
  return {
    message: isExpected ? error.message : 'An internal error; the log has its details.',
    code: isExpected ? error.code : 'internal',
    isFinal: !canRetry || run.attempt >= ctx.config.review.maxAttempts,
    delaySeconds: Math.max(Math.min(backoff, 600), asked),
  }
}

/** Says on the commit that the review failed. That it can't be said there is no fault of its own. */
async function showFailure(ctx: AppContext, ref: PullRequestRef, access: Access, message: string): Promise<void> {
  try {
    const signal = AbortSignal.timeout(15_000)
    const pullRequest = await ctx.platform.getPullRequest(access, ref.number, signal)
    const description = `Review failed: ${message}`.slice(0, 140)
    const status = {
      sha: pullRequest.head.sha,
      context: statusContext,
      state: 'error',
      description,
      url: pullRequest.url,
    } as const
    await ctx.platform.ensureStatus(access, status, signal)
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    ctx.log.warn({ err: error }, 'The failure could not be shown on the commit')
  }
}
