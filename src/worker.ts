// The worker: claims runs, reviews under a lease that it keeps alive, and settles how each ends, until it is stopped.
import { randomUUID } from 'node:crypto'
import type { AppContext } from './context.ts'
import { LeaseLostError } from './domain/errors.ts'
import type { PullRequestRef } from './domain/pull-request.ts'
import { type ClaimedRun, claimRun, endAllLeases, extendLease, findStrandedPullRequests } from './jobs/runs.ts'
import { createSlots } from './lib/slots.ts'
import type { Access } from './platforms/platform.ts'
import { chooseAccess } from './workflows/choose-access.ts'
import { reviewPullRequest } from './workflows/review-pull-request.ts'
import { createRunBudgets, type RunBudgets } from './workflows/run-budgets.ts'
import { settleFault, showFailure, WorkerStopping } from './workflows/settle-fault.ts'

/** A running worker. */
export interface Worker {
  /** Claims nothing more; lets reviews finish within the grace time, then puts them back. */
  stop(): Promise<void>
}

/**
 * Starts a worker.
 *
 * @param exclusive no other process can have the database open: leases left by a dead process end at once
 */
export async function startWorker(ctx: AppContext, options: { exclusive: boolean }): Promise<Worker> {
  const name = `worker-${randomUUID().slice(0, 8)}`
  const slots = createSlots(ctx.config.review.concurrency)
  const breakOff = new AbortController()
  const budgets = createRunBudgets(ctx)
  const running = new Set<Promise<void>>()
  let isStopping = false

  async function begin(ref: PullRequestRef): Promise<void> {
    const release = await slots.take()
    // Its wake-up is lost then; whoever looks for stranded pull requests next finds it.
    if (isStopping) return release()
    const work = runOne(ctx, { name, budgets, stopping: breakOff.signal }, ref)
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
  await ctx.wakeUps.listen(begin, ctx.config.review.concurrency)
  ctx.log.info({ worker: name }, 'The worker is ready')

  return {
    async stop() {
      ctx.log.info({ worker: name, running: running.size }, 'The worker stops: what runs may finish')
      isStopping = true
      sweep.stop()
      const grace = setTimeout(
        () => breakOff.abort(new WorkerStopping()),
        ctx.config.review.shutdownGraceSeconds * 1000,
      )
      await ctx.wakeUps.pause()
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
async function runOne(
  ctx: AppContext,
  worker: { name: string; budgets: RunBudgets; stopping: AbortSignal },
  ref: PullRequestRef,
): Promise<void> {
  const { leaseSeconds, maxAttempts } = ctx.config.review
  const claim = await claimRun(ctx.db, ref, { worker: worker.name, leaseSeconds, maxAttempts })
  if (claim.kind === 'later') {
    await ctx.db.transaction().execute((tx) => ctx.wakeUps.wake(tx, [ref], claim.seconds))
  }
  if (claim.kind === 'exhausted') {
    ctx.log.error(ref, 'The review was given up: its worker was lost in every try')
    const access = await chooseAccess(ctx, ref.repo).catch(() => null)
    if (access) await showFailure(ctx, ref, access, 'Its worker was lost in every try.')
  }
  if (claim.kind !== 'claimed') return
  const { run } = claim
  const log = ctx.log.child({ run: run.id, repo: run.repo, pull_request: run.number, attempt: run.attempt })
  log.info({}, 'The review begins')
  const lease = keepLease(ctx, run)
  const signal = AbortSignal.any([worker.stopping, lease.signal])
  const budget = await worker.budgets.open(run.id)
  let access: Access | null = null
  try {
    access = await chooseAccess({ ...ctx, log }, run.repo, signal)
    await reviewPullRequest({ ...ctx, log }, { run, access, budget, signal })
    log.info({}, 'The review is done')
  } catch (error) {
    await settleFault({ ...ctx, log }, { run, access, budget }, signal.aborted ? signal.reason : error)
  } finally {
    worker.budgets.close(budget)
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
      if (error instanceof LeaseLostError) lost.abort(error)
    }
  }
  const beat = () => {
    // Also when the database doesn't answer at all.
    if (performance.now() > goodUntil) lost.abort(new LeaseLostError())
    else void prolong()
  }
  const timer = setInterval(beat, (leaseSeconds * 1000) / 3)
  return { signal: lost.signal, stop: () => clearInterval(timer) }
}
