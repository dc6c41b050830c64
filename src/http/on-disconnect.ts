// Detects that the client of a request disconnected.
import type { FastifyReply } from 'fastify'

/** Returns a signal that is aborted if the client disconnects before it has the whole response. */
export function onDisconnect(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller.signal
}
