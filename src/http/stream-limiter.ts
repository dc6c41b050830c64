// How many streams may be open at the same time, in all and from one address.
import { RequestError } from '../domain/errors.ts'

export interface StreamLimiter {
  /**
   * Takes a place. Returns what gives it back.
   *
   * @throws RequestError `too_many`
   */
  acquire(address: string): () => void
}

/** Makes an empty room. */
export function createStreamLimiter(limits: {
  streams: number
  ofOneAddress: number
}): StreamLimiter {
  const byAddress = new Map<string, number>()
  let streams = 0
  return {
    acquire(address) {
      const own = byAddress.get(address) ?? 0
      if (streams >= limits.streams || own >= limits.ofOneAddress)
        throw new RequestError('too_many', 'Too many MCP streams are open: close some first')
      streams += 1
      byAddress.set(address, own + 1)
      return () => {
        streams -= 1
        const left = (byAddress.get(address) ?? 0) - 1
        if (left > 0) byAddress.set(address, left)
        else byAddress.delete(address)
      }
    },
  }
}
