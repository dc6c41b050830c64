// How many calls of MCP clients work at a time: what agents ask for leaves the database to deliveries and reviews.
import type { Caller } from '../accounts/tokens.ts'
import { UmpireError } from '../domain/errors.ts'
import { createFairSemaphore } from '../lib/semaphore.ts'

export interface CallLimiter {
  /**
   * Does something as soon as there is a place, in the order of asking, one caller beside the other. Those without a token are one.
   *
   * @param signal who waits in line leaves it then
   * @throws UmpireError `mcp_busy` where too many wait already, or the signal's reason
   */
  run<T>(caller: Caller | null, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

/** The embedded database does one thing after the other: so many are before a delivery, at most. */
const maxConcurrentCalls = 6
const maxConcurrentCallsPerCaller = 3
/** They wait, each with what it was asked. */
const maxQueuedCalls = 500

/** Makes an empty one. */
export function createCallLimiter(): CallLimiter {
  const slots = createFairSemaphore(maxConcurrentCalls, maxConcurrentCallsPerCaller)
  let present = 0
  return {
    async run(caller, signal, work) {
      if (present >= maxQueuedCalls)
        throw new UmpireError(
          'mcp_busy',
          'Too many calls wait for their answers: ask again later',
          { retryable: true },
        )
      present += 1
      try {
        const leave = await slots.acquire(
          caller === null ? 'nobody' : String(caller.userId),
          signal,
        )
        return await work().finally(leave)
      } finally {
        present -= 1
      }
    },
  }
}
