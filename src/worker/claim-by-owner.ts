// Claims due work of one kind, with limited concurrency and owners in turn, and runs it under a
// lease.
import { setMaxListeners } from 'node:events'
import type { ServiceContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { LeaseLostError } from '../domain/errors.ts'
import { createFairSemaphore } from '../lib/semaphore.ts'
import { withLease } from '../work/with-lease.ts'
import {
  type Claim,
  claimNext,
  extendLease,
  isExhausted,
  requeue,
  type WorkKind,
} from '../work/work-items.ts'
import { describeFailure, WorkerStopping } from '../workflows/describe-failure.ts'

/** How one kind of work is done. */
export interface WorkRunner {
  /** The limit applies to this process. */
  readonly maxConcurrency: number
  /** The limit applies to one owner; `createFairSemaphore` has a default. */
  readonly maxConcurrencyPerOwner?: number
  /** How long running work may go on after the stop signal. */
  readonly graceSeconds: number
  /**
   * Does claimed work and stores its end. Throws only if the end can't be stored.
   *
   * @param signal is aborted when the lease is lost or the work has to be requeued, with the reason
   */
  run(claim: Claim, signal: AbortSignal): Promise<void>
  /** Stores the failure of work that used up its attempts. */
  fail(claim: Claim): Promise<void>
}

interface OwnerClaims {
  /** How many pieces of work are running. */
  running(): number
  /** Claims work of this owner as soon as there is capacity for it, until none is due. */
  start(owner: string): void
  /** Claims nothing more, and resolves when nothing is running any more. */
  stop(): Promise<void>
}

type ClaimContext = Pick<ServiceContext, 'db' | 'config' | 'log'>

/** An owner with work that may be due. */
interface Lane {
  /** Whether work became due since the last claim. */
  isDue: boolean
}

export function claimByOwner(
  ctx: ClaimContext,
  { kind, worker }: { kind: WorkKind; worker: string },
  runner: WorkRunner,
): OwnerClaims {
  const { leaseSeconds } = ctx.config.review
  const lease = { worker, leaseSeconds }
  const semaphore = createFairSemaphore(runner.maxConcurrency, runner.maxConcurrencyPerOwner)
  const interrupt = new AbortController()
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal, interrupt.signal)
  const lanes = new Map<string, Lane>()
  const pending = new Set<Promise<void>>()
  let running = 0

  const track = (work: Promise<void>) => {
    const tracked = work.finally(() => pending.delete(tracked))
    pending.add(tracked)
  }

  async function claimWhileDue(owner: string, lane: Lane): Promise<void> {
    try {
      while (lane.isDue) {
        const release = await semaphore.acquire(owner, stopping.signal)
        lane.isDue = false
        const claim = await claimNext(ctx.db, { kind, owner }, lease).catch((error) => {
          release()
          throw error
        })
        if (claim === undefined) {
          release()
          continue
        }
        lane.isDue ||= claim.hasMore
        running += 1
        track(
          runClaim(claim).finally(() => {
            running -= 1
            release()
          }),
        )
      }
    } finally {
      lanes.delete(owner)
    }
  }

  async function runClaim(claim: Claim): Promise<void> {
    try {
      if (isExhausted(claim, ctx.config.review)) await runner.fail(claim)
      else {
        const extend = () => extendLease(ctx.db, claim, leaseSeconds)
        await withLease({ seconds: leaseSeconds, extend }, (lost) =>
          runner.run(claim, AbortSignal.any([interrupt.signal, lost])),
        )
      }
    } catch (error) {
      await giveBack(claim, error)
    }
  }

  /** If this fails too, the work is claimed again when its lease expires. */
  async function giveBack(claim: Claim, error: unknown): Promise<void> {
    const { repo, number } = claim
    if (error instanceof LeaseLostError) return
    ctx.log.error(
      { err: error, repo, number },
      `The end of a ${kind} could not be stored; it is claimed again later`,
    )
    const { message, code, delaySeconds } = describeFailure(ctx.config.review, claim.attempt, error)
    const options = { delaySeconds, countsAsAttempt: true, failure: { message, code } }
    await transactionWithRetry(ctx.db, (tx) => requeue(tx, claim, options)).catch(() => {})
  }

  return {
    running: () => running,
    start(owner) {
      const known = lanes.get(owner)
      if (known) known.isDue = true
      if (known || stopping.signal.aborted) return
      const lane = { isDue: true }
      lanes.set(owner, lane)
      track(
        claimWhileDue(owner, lane).catch((error) => {
          if (!stopping.signal.aborted)
            ctx.log.warn({ err: error }, `A ${kind} could not be claimed; the next sweep does it`)
        }),
      )
    },
    async stop() {
      // Work that is still waiting goes to another process, or to the next start.
      stopping.abort(new WorkerStopping())
      const graceTimer = setTimeout(
        () => interrupt.abort(new WorkerStopping()),
        runner.graceSeconds * 1000,
      )
      // A last claim may be under way, whose work follows it.
      while (pending.size > 0) await Promise.all(pending)
      clearTimeout(graceTimer)
    },
  }
}
