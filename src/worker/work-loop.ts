// Runs one kind of work: starts what notifications name, with limited concurrency and owners in
// turn, looks for stranded work, and stops gracefully.
import { setMaxListeners } from 'node:events'
import type { AppContext, Config } from '../context.ts'
import { ownerOf, type RepositoryName } from '../domain/pull-request.ts'
import type { NotificationQueue } from '../jobs/queue.ts'
import { createFairSemaphore } from '../lib/semaphore.ts'
import { WorkerStopping } from '../workflows/describe-failure.ts'
import { startPeriodicTask } from './periodic-task.ts'

/** A kind of work. `Subject` names one piece of it. */
interface WorkKind<Subject> {
  /** The name for log messages. */
  readonly label: string
  readonly queue: NotificationQueue<Subject>
  /** The limit applies to this process. */
  readonly maxConcurrency: number
  /** The limit applies to one owner; `createFairSemaphore` has a default. */
  readonly maxConcurrencyPerOwner?: number
  repositoryOf(subject: Subject): RepositoryName
  /** How long running work may go on after the stop signal. */
  readonly graceSeconds: number
  /** Finds work that no worker holds; the loop starts it. */
  findStranded(): Promise<readonly Subject[]>
  /**
   * Claims one piece of work and runs it to its end. Throws only if the end can't be stored: the
   * work is claimed again later.
   *
   * @param stopping is aborted when the work has to be requeued
   */
  run(subject: Subject, stopping: AbortSignal): Promise<void>
}

interface WorkLoop {
  /** How many pieces of work are running. */
  running(): number
  /** Starts nothing more, and resolves when nothing is running any more. */
  stop(): Promise<void>
}

type LoopContext = Pick<AppContext, 'db' | 'config' | 'log'>

/** The sweep for stranded work finds the rest. */
const maxWaitingPerOwner = 1000

export async function startWorkLoop<Subject>(
  ctx: LoopContext,
  kind: WorkKind<Subject>,
): Promise<WorkLoop> {
  const semaphore = createFairSemaphore(kind.maxConcurrency, kind.maxConcurrencyPerOwner)
  const interrupt = new AbortController()
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)
  const waitingByOwner = new Map<string, Map<string, Subject>>()
  const running = new Set<Promise<void>>()

  async function begin(subject: Subject): Promise<void> {
    const owner = ownerOf(kind.repositoryOf(subject))
    const key = JSON.stringify(subject)
    const ownerQueue = waitingByOwner.get(owner) ?? new Map<string, Subject>()
    if (stopping.signal.aborted || ownerQueue.has(key) || ownerQueue.size >= maxWaitingPerOwner)
      return
    waitingByOwner.set(owner, ownerQueue.set(key, subject))
    // Work that is still waiting at the stop goes to another process.
    const release = await semaphore.acquire(owner, stopping.signal).catch(() => undefined)
    if (release === undefined) return
    ownerQueue.delete(key)
    if (ownerQueue.size === 0) waitingByOwner.delete(owner)
    const work = kind
      .run(subject, interrupt.signal)
      .catch((error) =>
        ctx.log.error(
          { err: error, subject },
          `The end of a ${kind.label} could not be stored; it is claimed again later`,
        ),
      )
      .finally(() => {
        running.delete(work)
        release()
      })
    running.add(work)
  }

  const start = (subject: Subject) => void begin(subject)
  /** Renotifies other processes, or the next start, of waiting work. */
  const renotifyWaiting = async () => {
    const waiting = waitingByOwner
      .values()
      .flatMap((ownerQueue) => ownerQueue.values())
      .toArray()
    if (waiting.length > 0)
      await ctx.db.transaction().execute((tx) => kind.queue.notify(tx, waiting))
  }
  const sweep = startPeriodicTask(ctx.log, {
    name: `stranded ${kind.label}s`,
    pauseMs: sweepIntervalMs(ctx.config),
    runImmediately: true,
    async run() {
      // Started directly: after the clock was set back, a notification would only be due much
      // later.
      for (const subject of await kind.findStranded()) start(subject)
    },
  })
  await kind.queue.listen(start)
  return {
    running: () => running.size,
    async stop() {
      const sweepStopped = sweep.stop()
      const graceTimer = setTimeout(
        () => interrupt.abort(new WorkerStopping()),
        kind.graceSeconds * 1000,
      )
      await Promise.all([kind.queue.pause(), sweepStopped])
      stopping.abort(new WorkerStopping())
      await renotifyWaiting().catch((error) =>
        ctx.log.warn(
          { err: error },
          `Notifications of waiting ${kind.label}s were not sent; the next sweep finds the work`,
        ),
      )
      await Promise.all(running)
      clearTimeout(graceTimer)
    },
  }
}

/** The pause between two sweeps for work without a notification, in milliseconds. */
export function sweepIntervalMs({ review }: Pick<Config, 'review'>): number {
  return Math.max(1000, (review.leaseSeconds * 1000) / 3)
}
