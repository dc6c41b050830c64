// A loop over one kind of work: takes up what wake-ups name, so many at once, looks for what was left behind, and stops in order.
import type { Config } from '../config/config.ts'
import type { AppContext } from '../context.ts'
import type { WakeUpQueue } from '../jobs/queue.ts'
import { createSlots } from '../lib/slots.ts'
import { WorkerStopping } from '../workflows/describe-fault.ts'
import { startRounds } from './rounds.ts'

/** A kind of work. `Subject` names a piece of it. */
export interface KindOfWork<Subject> {
  /** A word for the log. */
  readonly what: string
  readonly queue: WakeUpQueue<Subject>
  readonly atOnce: number
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

type LoopContext = Pick<AppContext, 'config' | 'log'>

/** Starts the loop. */
export async function startWorkLoop<Subject>(ctx: LoopContext, kind: KindOfWork<Subject>): Promise<WorkLoop> {
  const slots = createSlots(kind.atOnce)
  const breakOff = new AbortController()
  const running = new Set<Promise<void>>()
  let isStopping = false

  async function begin(subject: Subject): Promise<void> {
    const release = await slots.take()
    // Its wake-up is lost then; whoever looks for what is stranded next finds it.
    if (isStopping) return release()
    const work = kind
      .run(subject, breakOff.signal)
      .catch((error) =>
        ctx.log.error({ err: error, subject }, `A ${kind.what} could not be settled; it is taken up again later`),
      )
      .finally(() => {
        running.delete(work)
        release()
      })
    running.add(work)
  }

  const sweep = startRounds(ctx.log, {
    what: `looking for a stranded ${kind.what}`,
    pauseMs: sweepMs(ctx.config),
    atOnce: true,
    async run(stopping) {
      // Started and not woken: the wake-up of one that a clock has left behind isn't due before the clock is there again.
      for (const subject of await kind.findStranded()) {
        if (stopping.aborted) return
        await begin(subject)
      }
    },
  })
  await kind.queue.listen(begin, kind.atOnce)
  return {
    running: () => running.size,
    async stop() {
      isStopping = true
      const swept = sweep.stop()
      const grace = setTimeout(() => breakOff.abort(new WorkerStopping()), kind.graceSeconds * 1000)
      await Promise.all([kind.queue.pause(), swept])
      await Promise.all(running)
      clearTimeout(grace)
    },
  }
}

/** How far apart a worker looks for what nobody told it of. */
export function sweepMs({ review }: Pick<Config, 'review'>): number {
  return Math.max(1000, (review.leaseSeconds * 1000) / 3)
}
