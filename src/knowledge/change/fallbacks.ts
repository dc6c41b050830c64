// Runs optional parts of an operation: a failed part is logged, noted, and replaced by a fallback.
import type { Log } from '../../lib/logger.ts'

export interface Fallbacks {
  /** Contains a sentence for each failed part. */
  readonly notes: string[]
  /**
   * Returns `fallback` if the work fails or the signal is aborted.
   *
   * @param what names the part, in the plural or with an article, at the beginning of a sentence
   */
  withFallback<Result>(what: string, fallback: Result, work: () => Promise<Result>): Promise<Result>
}

/** @param signal is the deadline of all parts together */
export function createFallbacks(log: Log, signal: AbortSignal): Fallbacks {
  const notes: string[] = []
  return {
    notes,
    async withFallback(what, fallback, work) {
      try {
        signal.throwIfAborted()
        return await Promise.race([work(), rejectWhenAborted(signal)])
      } catch (error) {
        log.warn({ err: error }, `${what} could not be read for a change`)
        notes.push(`${what} could not be read${signal.aborted ? ' in time' : ''}.`)
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
