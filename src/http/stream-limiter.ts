// Limits how many streams are open, in total and per address.
import { RequestError } from '../domain/errors.ts'

export interface StreamLimiter {
  /**
   * Counts a stream. Returns a function that must be called once, when the stream ends.
   *
   * @throws RequestError `too_many` if a limit is reached
   */
  acquire(address: string): () => void
}

export function createStreamLimiter(limits: {
  maxStreams: number
  maxPerAddress: number
}): StreamLimiter {
  const countByAddress = new Map<string, number>()
  let total = 0
  return {
    acquire(address) {
      const count = countByAddress.get(address) ?? 0
      if (total >= limits.maxStreams || count >= limits.maxPerAddress) {
        throw new RequestError('too_many', 'Too many MCP streams are open: close some first')
      }
      total += 1
      countByAddress.set(address, count + 1)
      return () => {
        total -= 1
        const remaining = (countByAddress.get(address) ?? 0) - 1
        if (remaining > 0) countByAddress.set(address, remaining)
        else countByAddress.delete(address)
      }
    },
  }
}
