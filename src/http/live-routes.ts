// Adds the endpoint that streams changes.
import type { AppContext } from '../context.ts'
import { liveStreamSchema } from '../contract/live-schemas.ts'
import type { OpenDatabase } from '../db/database.ts'
import { openEventStream } from '../lib/event-stream.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import { openLiveHub } from './live-hub.ts'
import type { Server } from './server.ts'

const streamOptions = { retryMs: 2000, maxBufferedCharacters: 256 * 1024, drainTimeoutMs: 1000 }

/** Adds `GET /api/v1/live`. All streams end before the server closes. */
export async function addLiveRoutes(
  server: Server,
  ctx: AppContext,
  database: OpenDatabase,
  authenticate: Authenticate,
): Promise<void> {
  const hub = await openLiveHub(database, ctx.log)
  server.addHook('preClose', () => hub.close())

  // A HEAD request for a stream would never end.
  const route = { schema: liveStreamSchema, onRequest: authenticate.either, exposeHeadRoute: false }
  server.get('/api/v1/live', route, async (request, reply) => {
    const stream = openEventStream(streamOptions)
    try {
      await hub.subscribe(callerOf(request), stream, () => authenticate.refreshCaller(request))
    } catch (error) {
      stream.output.destroy()
      throw error
    }
    return (
      reply
        .type('text/event-stream')
        // The connection can't be reused after a stream, and proxies must not buffer it.
        .headers({ connection: 'close', 'x-accel-buffering': 'no' })
        .send(stream.output as never)
    )
  })
}
