// Stops waiting for a promise or a time when a signal is aborted.
import { setTimeout } from 'node:timers/promises'

/**
 * Returns the result of the work, or throws the signal's reason when that is aborted first. The
 * work may continue then, and its result is ignored.
 */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {})
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  aborted.catch(() => {})
  const onAbort = () => reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Waits until the time is over. @throws the signal's reason when it aborts earlier */
export async function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
