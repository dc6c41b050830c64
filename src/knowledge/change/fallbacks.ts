// Runs the parts of a piece of work so that none of them fails the whole: what went wrong is logged and told.
import type { Log } from '../../lib/logger.ts'

export interface Fallbacks {
  /** What could not be told, one sentence each. */
  readonly notes: string[]
  /** Comes to `fallback` when the work fails, or isn't done when the signal is aborted. */
  withFallback<Result>(what: string, fallback: Result, work: () => Promise<Result>): Promise<Result>
}

/** @param signal the deadline of all parts together */
export function createFallbacks(log: Log, signal: AbortSignal): Fallbacks {
  const notes: string[] = []
  return {
    notes,
    async withFallback(what, fallback, work) {
      try {
        signal.throwIfAborted()
        return await Promise.race([work(), rejectWhenAborted(signal)])
      } catch (error) {
        log.warn({ err: error }, `${what} could not be told of a change`)
        notes.push(`${what} could not be told${signal.aborted ? ' in time' : ''}.`)
        return fallback
      }
    },
  }
}

function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => {})
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return promise
}
