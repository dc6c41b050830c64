// Limits concurrent MCP calls, so that they leave database capacity to deliveries and reviews.
import type { Caller } from '../accounts/tokens.ts'
import { UmpireError } from '../domain/errors.ts'
import { createFairSemaphore } from '../lib/semaphore.ts'

export interface CallLimiter {
  /**
   * Runs a call as soon as there is capacity. Callers take turns, and the calls of one caller run
   * in order. All clients without a token count as one caller.
   *
   * @param signal when aborted, a waiting call leaves the queue
   * @throws UmpireError `mcp_busy` if too many calls are waiting, or the reason of the signal
   */
  run<T>(caller: Caller | null, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

/** The embedded database works in sequence, so a delivery waits for at most this many calls. */
const maxConcurrentCalls = 6
const maxConcurrentCallsPerCaller = 3
/** Waiting and running calls hold their arguments in memory. */
const maxPendingCalls = 500

export function createCallLimiter(): CallLimiter {
  const semaphore = createFairSemaphore(maxConcurrentCalls, maxConcurrentCallsPerCaller)
  let pendingCalls = 0
  return {
    async run(caller, signal, work) {
      if (pendingCalls >= maxPendingCalls) {
        const message = 'Too many calls are waiting: try again later'
        throw new UmpireError('mcp_busy', message, { retryable: true })
      }
      pendingCalls += 1
      try {
        const party = caller === null ? 'nobody' : String(caller.userId)
        const release = await semaphore.acquire(party, signal)
        return await work().finally(release)
      } finally {
        pendingCalls -= 1
      }
    },
  }
}
