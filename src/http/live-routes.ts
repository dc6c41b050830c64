// The live stream of changes.
import type { AppContext } from '../context.ts'
import { liveStreamSchema } from '../contract/live-schemas.ts'
import type { OpenDatabase } from '../db/database.ts'
import { openEventStream } from '../lib/event-stream.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import { openLiveHub } from './live-hub.ts'
import type { Server } from './server.ts'

const limits = { retryMs: 2000, maxBufferedCharacters: 256 * 1024, drainTimeoutMs: 1000 }

/** Adds `GET /api/v1/live`. All streams end before the server closes. */
export async function addLiveRoutes(
  server: Server,
  ctx: AppContext,
  database: OpenDatabase,
  authenticate: Authenticate,
): Promise<void> {
  const hub = await openLiveHub(database, ctx.log)
  server.addHook('preClose', () => hub.close())

  // A HEAD of a stream would never end.
  const route = { schema: liveStreamSchema, onRequest: authenticate.either, exposeHeadRoute: false }
  server.get('/api/v1/live', route, async (request, reply) => {
    const events = openEventStream(limits)
    try {
      await hub.subscribe(callerOf(request), events, () => authenticate.refreshCaller(request))
    } catch (error) {
      events.output.destroy()
      throw error
    }
    return (
      reply
        .type('text/event-stream')
        // Nothing comes after it on this connection, and no proxy is to hold it back.
        .headers({ connection: 'close', 'x-accel-buffering': 'no' })
        .send(events.output as never)
    )
  })
}
