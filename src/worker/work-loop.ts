// A loop over one kind of work: takes up what wake-ups name, so many at once and owners by turns, looks for what was left behind,
// and stops in order.
import { setMaxListeners } from 'node:events'
import type { Config } from '../config/config.ts'
import type { AppContext } from '../context.ts'
import { ownerOf, type RepositoryName } from '../domain/pull-request.ts'
import type { NotificationQueue } from '../jobs/queue.ts'
import { createFairSemaphore } from '../lib/semaphore.ts'
import { WorkerStopping } from '../workflows/describe-failure.ts'
import { startPeriodicTask } from './periodic-task.ts'

/** A kind of work. `Subject` names a piece of it. */
export interface WorkKind<Subject> {
  /** A word for the log. */
  readonly label: string
  readonly queue: NotificationQueue<Subject>
  /** In this process. */
  readonly maxConcurrency: number
  /** Of one owner; by default as `createFairSemaphore` has it. */
  readonly maxConcurrencyPerOwner?: number
  repositoryOf(subject: Subject): RepositoryName
  /** How long what runs may go on after the signal to stop. */
  readonly graceSeconds: number
  /** What waits though nobody holds it; it is started. */
  findStranded(): Promise<readonly Subject[]>
  /**
   * Claims a piece and brings it to its end. Throws only where that can't be written down: it is taken up again then.
   *
   * @param stopping fires when it is to be put back
   */
  run(subject: Subject, stopping: AbortSignal): Promise<void>
}

export interface WorkLoop {
  /** Pieces that are under way. */
  running(): number
  /** Takes up nothing more, and resolves when nothing is under way any more. */
  stop(): Promise<void>
}

type LoopContext = Pick<AppContext, 'db' | 'config' | 'log'>

/** Pieces of one owner that wait in this process. Those beyond are found by whoever looks for what is stranded. */
const maxWaitingPerOwner = 1000

/** Starts the loop. */
export async function startWorkLoop<Subject>(
  ctx: LoopContext,
  kind: WorkKind<Subject>,
): Promise<WorkLoop> {
  const slots = createFairSemaphore(kind.maxConcurrency, kind.maxConcurrencyPerOwner)
  const breakOff = new AbortController()
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)
  const lines = new Map<string, Map<string, Subject>>()
  const running = new Set<Promise<void>>()

  async function begin(subject: Subject): Promise<void> {
    const owner = ownerOf(kind.repositoryOf(subject))
    const key = JSON.stringify(subject)
    const line = lines.get(owner) ?? new Map<string, Subject>()
    if (stopping.signal.aborted || line.has(key) || line.size >= maxWaitingPerOwner) return
    lines.set(owner, line.set(key, subject))
    // Who still waits when it stops is handed on.
    const release = await slots.acquire(owner, stopping.signal).catch(() => undefined)
    if (release === undefined) return
    line.delete(key)
    if (line.size === 0) lines.delete(owner)
    const work = kind
      .run(subject, breakOff.signal)
      .catch((error) =>
        ctx.log.error(
          { err: error, subject },
          `A ${kind.label} could not be settled; it is taken up again later`,
        ),
      )
      .finally(() => {
        running.delete(work)
        release()
      })
    running.add(work)
  }

  const start = (subject: Subject) => void begin(subject)
  /** Gives the wake-ups of what waits to other processes, or to the next start. */
  const handOn = async () => {
    const waiting = [...lines.values()].flatMap((line) => [...line.values()])
    if (waiting.length > 0)
      await ctx.db.transaction().execute((tx) => kind.queue.notify(tx, waiting))
  }
  const sweep = startPeriodicTask(ctx.log, {
    what: `looking for a stranded ${kind.label}`,
    pauseMs: sweepIntervalMs(ctx.config),
    atOnce: true,
    async run() {
      // Started and not woken: the wake-up of one that a clock has left behind isn't due before the clock is there again.
      for (const subject of await kind.findStranded()) start(subject)
    },
  })
  await kind.queue.listen(start)
  return {
    running: () => running.size,
    async stop() {
      const swept = sweep.stop()
      const grace = setTimeout(() => breakOff.abort(new WorkerStopping()), kind.graceSeconds * 1000)
      await Promise.all([kind.queue.pause(), swept])
      stopping.abort(new WorkerStopping())
      await handOn().catch((error) =>
        ctx.log.warn(
          { err: error },
          `What waits for a ${kind.label} was not handed on; it is found by the next look`,
        ),
      )
      await Promise.all(running)
      clearTimeout(grace)
    },
  }
}

/** How far apart a worker looks for what nobody told it of. */
export function sweepIntervalMs({ review }: Pick<Config, 'review'>): number {
  return Math.max(1000, (review.leaseSeconds * 1000) / 3)
}
