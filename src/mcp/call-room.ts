// How many calls of MCP clients work at a time: what agents ask for leaves the database to deliveries and reviews.
import type { Caller } from '../accounts/tokens.ts'
import { UmpireError } from '../domain/errors.ts'
import { createSharedSlots } from '../lib/slots.ts'

export interface CallRoom {
  /**
   * Does something as soon as there is a place, in the order of asking, one caller beside the other. Those without a token are one.
   *
   * @param signal who waits in line leaves it then
   * @throws UmpireError `mcp_busy` where too many wait already, or the signal's reason
   */
  run<T>(caller: Caller | null, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

/** The embedded database does one thing after the other: so many are before a delivery, at most. */
const mostAtOnce = 6
const mostOfOne = 3
/** They wait, each with what it was asked. */
const mostInLine = 500

/** Makes an empty one. */
export function createCallRoom(): CallRoom {
  const slots = createSharedSlots(mostAtOnce, mostOfOne)
  let present = 0
  return {
    async run(caller, signal, work) {
      if (present >= mostInLine)
        throw new UmpireError(
          'mcp_busy',
          'Too many calls wait for their answers: ask again later',
          { retryable: true },
        )
      present += 1
      try {
        const leave = await slots.take(caller === null ? 'nobody' : String(caller.userId), signal)
        return await work().finally(leave)
      } finally {
        present -= 1
      }
    },
  }
}
