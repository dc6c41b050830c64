// The work loop: starts work of all kinds when it is announced, when it becomes due, and when a
// sweep finds it.
import type { Config, ServiceContext } from '../context.ts'
import type { OpenDatabase } from '../db/database.ts'
import { type DueWork, findDueWork, type WorkKind, workChannel } from '../work/work-items.ts'
import { claimByOwner, type WorkRunner } from './claim-by-owner.ts'
import { startPeriodicTask } from './periodic-task.ts'

interface WorkLoop {
  /** How many pieces of work are running. */
  running(kind: WorkKind): number
  /** Starts nothing more, and resolves when nothing is running any more. */
  stop(): Promise<void>
}

export async function startWorkLoop(
  ctx: Pick<ServiceContext, 'db' | 'config' | 'log'>,
  { listen }: Pick<OpenDatabase, 'listen'>,
  worker: string,
  runners: { readonly [Kind in WorkKind]: WorkRunner },
): Promise<WorkLoop> {
  const { leaseSeconds } = ctx.config.review
  const pauseMs = sweepIntervalMs(ctx.config)
  const claims = {
    review: claimByOwner(ctx, { kind: 'review', worker }, runners.review),
    scan: claimByOwner(ctx, { kind: 'scan', worker }, runners.scan),
    request: claimByOwner(ctx, { kind: 'request', worker }, runners.request),
    answer: claimByOwner(ctx, { kind: 'answer', worker }, runners.answer),
  }
  const timers = new Set<NodeJS.Timeout>()
  const start = ({ kind, owner, seconds }: DueWork) => {
    if (seconds <= 0) return claims[kind].start(owner)
    // The sweeps find what is due later.
    if (seconds * 1000 > pauseMs) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      claims[kind].start(owner)
    }, seconds * 1000)
    timers.add(timer)
  }
  // An announcement may be lost, but costs no more than a pause then.
  const sweep = async () => {
    const due = await findDueWork(ctx.db, { leaseSeconds, withinSeconds: pauseMs / 1000 })
    due.forEach(start)
  }
  const listening = await listen(
    workChannel,
    (payload) => start(JSON.parse(payload) as DueWork),
    () =>
      void sweep().catch((error) =>
        ctx.log.warn({ err: error }, 'Due work could not be listed; the next sweep does it'),
      ),
  )
  const sweeps = startPeriodicTask(ctx.log, { name: 'sweeps for due work', pauseMs, run: sweep })
  return {
    running: (kind) => claims[kind].running(),
    async stop() {
      const stopped = Object.values(claims).map((one) => one.stop())
      await Promise.all([listening.close(), sweeps.stop(), ...stopped])
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** The pause between two sweeps for work that was not announced, in milliseconds. */
export function sweepIntervalMs({ review }: Pick<Config, 'review'>): number {
  return Math.max(1000, (review.leaseSeconds * 1000) / 3)
}
