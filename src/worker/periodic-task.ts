// Work that comes round: looked for every so often, where nothing wakes the worker for it.
import type { Log } from '../lib/logger.ts'
import { WorkerStopping } from '../workflows/describe-failure.ts'

export interface PeriodicTask {
  /** Breaks off the round that is under way: what it left is found by the next one. */
  stop(): Promise<void>
}

/**
 * Starts one round after the other, the first one after a pause or `maxConcurrency`.
 *
 * @param work what is to be done stands in the database, so several workers can share it; `what` is a word for the log
 */
export function startPeriodicTask(
  log: Pick<Log, 'warn'>,
  work: {
    what: string
    pauseMs: number
    atOnce?: boolean
    run(stopping: AbortSignal): Promise<void>
  },
): PeriodicTask {
  const stopping = new AbortController()
  let round = Promise.resolve()
  let timer: NodeJS.Timeout
  const begin = () => {
    round = work
      .run(stopping.signal)
      .catch((error) => {
        if (!stopping.signal.aborted)
          log.warn({ err: error }, `A round of ${work.what} failed; the next one comes by itself`)
      })
      .finally(rest)
  }
  const rest = () => {
    if (!stopping.signal.aborted) timer = setTimeout(begin, work.pauseMs)
  }
  if (work.atOnce) begin()
  else rest()
  return {
    async stop() {
      stopping.abort(new WorkerStopping())
      clearTimeout(timer)
      await round
    },
  }
}
