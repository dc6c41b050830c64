// Runs a task at a fixed pause, for work that no notification announces.
import type { Log } from '../lib/logger.ts'
import { WorkerStopping } from '../workflows/describe-failure.ts'

interface PeriodicTask {
  /** Aborts the current round; the next worker finds the rest. */
  stop(): Promise<void>
}

/**
 * Runs one round after another, the first one after a pause or with `runImmediately` at once.
 *
 * @param work `name` is for the log. Its state is in the database, so several workers can
 *   share it
 */
export function startPeriodicTask(
  log: Pick<Log, 'warn'>,
  work: {
    name: string
    pauseMs: number
    runImmediately?: boolean
    run(stopping: AbortSignal): Promise<void>
  },
): PeriodicTask {
  const stopping = new AbortController()
  let currentRound = Promise.resolve()
  let timer: NodeJS.Timeout
  const startRound = () => {
    currentRound = work
      .run(stopping.signal)
      .catch((error) => {
        if (!stopping.signal.aborted)
          log.warn({ err: error }, `A round of ${work.name} failed; it is repeated later`)
      })
      .finally(scheduleRound)
  }
  const scheduleRound = () => {
    if (!stopping.signal.aborted) timer = setTimeout(startRound, work.pauseMs)
  }
  if (work.runImmediately) startRound()
  else scheduleRound()
  return {
    async stop() {
      stopping.abort(new WorkerStopping())
      clearTimeout(timer)
      await currentRound
    },
  }
}
