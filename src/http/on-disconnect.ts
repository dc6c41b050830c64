// Tells work for a request that nobody waits for its answer any more.
import type { FastifyReply } from 'fastify'

/** Aborted when the client leaves before it has its answer. */
export function onDisconnect(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  return gone.signal
}
