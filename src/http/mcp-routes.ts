// The MCP server over HTTP, for those who may reach it: the streams of the first protocol revision, and Streamable HTTP of
// the current ones.
import { InMemoryServerEventBus, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { OpenDatabase } from '../db/database.ts'
import { readPackageInfo } from '../lib/package-info.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { cacheAnswers } from '../mcp/cache-answers.ts'
import type { McpBackend } from '../mcp/mcp-backend.ts'
import { createMcpServer } from '../mcp/mcp-server.ts'
import { subscribeToReviews } from '../mcp/subscribe-to-reviews.ts'
import type { Authenticate } from './authenticate.ts'
import { sendJsonRpcError } from './mcp-messages.ts'
import { addMcpSseRoutes } from './mcp-sse-routes.ts'
import { addMcpStreamableHttpRoute } from './mcp-streamable-http-route.ts'
import type { McpTransportContext } from './mcp-transport-context.ts'
import type { Server } from './server.ts'
import { createStreamLimiter } from './stream-limiter.ts'

/** Streams that this process holds open, and of them those of one address. */
const maxStreams = 1000
const maxStreamsPerAddress = 200
/** Clients whose tokens are looked up at a time. */
const maxConcurrentIdentifications = 3

/** Adds `/mcp`, `/mcp/sse` and `/mcp/messages`. All streams end before the server closes. */
export async function addMcpRoutes(
  server: Server,
  ctx: McpTransportContext['ctx'],
  options: {
    backend: McpBackend
    database: Pick<OpenDatabase, 'listen'>
    authenticate: Authenticate
  },
): Promise<void> {
  const { access, agentTools } = ctx.config.mcp
  if (access === 'off') return
  const { database, authenticate } = options
  const backend = cacheAnswers(options.backend)
  const changes = new InMemoryServerEventBus()
  const onChange = (uri: string) => {
    backend.forget()
    changes.publish({ kind: 'resource_updated', uri })
  }
  const feed = await subscribeToReviews(database, onChange, backend.forget)
  server.addHook('onClose', () => feed.close())
  const identity = {
    name: ctx.config.serviceName,
    title: 'Umpire',
    version: (await readPackageInfo()).version,
  }
  const surroundings: McpTransportContext = {
    ctx,
    backend,
    authenticate,
    changes,
    streamLimiter: createStreamLimiter({ streams: maxStreams, ofOneAddress: maxStreamsPerAddress }),
    createServer: (caller, follow) =>
      createMcpServer({ backend, identity, caller, resourceChanges: follow }),
  }
  await server.register(async (plain) => {
    const scope = plain as unknown as Server
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    )
    const isKnown = createHostCheck(ctx.config)
    scope.addHook('onRequest', (request, reply, done) => {
      // Of all that keeps pages in check, what matters to a client that is none.
      reply.header('x-content-type-options', 'nosniff')
      if (isKnown(request)) done()
      else
        sendJsonRpcError(reply, 403, [
          ProtocolErrorCode.InvalidRequest,
          'Host or Origin not allowed: see MCP_ALLOWED_HOSTS',
        ])
    })
    const identify =
      access === 'token'
        ? authenticate.bearer
        : agentTools
          ? authenticate.optionalBearer
          : undefined
    if (identify) scope.addHook('onRequest', limitConcurrency(identify))
    addMcpSseRoutes(scope, surroundings)
    addMcpStreamableHttpRoute(scope, surroundings)
  })
}

/** Few at a time: each asks the database, before the call itself waits for its turn. */
function limitConcurrency(identify: onRequestAsyncHookHandler): onRequestAsyncHookHandler {
  const slots = createSemaphore(maxConcurrentIdentifications)
  return async function (request, reply) {
    const leave = await slots.acquire()
    try {
      await identify.call(this, request, reply)
    } finally {
      leave()
    }
  }
}

/** Keeps web pages of others away, which a browser lets in under a name that leads to us (DNS rebinding). */
function createHostCheck({
  http,
  mcp,
}: McpTransportContext['ctx']['config']): (request: FastifyRequest) => boolean {
  const names = [
    new URL(http.publicUrl).hostname,
    http.host,
    'localhost',
    '127.0.0.1',
    '[::1]',
    ...mcp.allowedHosts,
  ]
  const known = new Set(names.map((name) => name.toLowerCase()))
  const isKnown = (url: string) => known.has(URL.parse(url)?.hostname ?? '')
  return ({ headers: { host, origin } }) =>
    host !== undefined && isKnown(`http://${host}`) && (origin === undefined || isKnown(origin))
}
