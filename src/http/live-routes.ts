// Adds the endpoint that streams changes.
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/live-endpoints.ts'
import type { OpenDatabase } from '../db/database.ts'
import { openEventStream } from '../lib/event-stream.ts'
import type { AddRoute } from './add-route.ts'
import type { Authenticate } from './authenticate.ts'
import { openLiveHub } from './live-hub.ts'
import type { Server } from './server.ts'

const streamOptions = { retryMs: 2000, maxBufferedCharacters: 256 * 1024, drainTimeoutMs: 1000 }

interface LiveParts {
  readonly server: Server
  readonly database: OpenDatabase
  readonly authenticate: Authenticate
}

/** All streams end before the server closes. */
export async function addLiveRoutes(
  addRoute: AddRoute,
  ctx: ServiceContext,
  { server, database, authenticate }: LiveParts,
): Promise<void> {
  const hub = await openLiveHub(database, ctx.log)
  server.addHook('preClose', () => hub.close())

  // A HEAD request for a stream would never end.
  const options = { exposeHeadRoute: false }
  addRoute(
    contract.liveStream,
    async (request, reply) => {
      const stream = openEventStream(streamOptions)
      try {
        await hub.subscribe(request.caller, stream, () => authenticate.refreshCaller(request))
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
    },
    options,
  )
}
