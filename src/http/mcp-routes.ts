// The MCP server over HTTP, for those who may reach it: the streams of the first protocol revision, and Streamable HTTP of
// the current ones.
import { InMemoryServerEventBus, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { OpenDatabase } from '../db/database.ts'
import { readProgram } from '../lib/program.ts'
import { createSlots } from '../lib/slots.ts'
import type { McpBackend } from '../mcp/backend.ts'
import { createMcpServer } from '../mcp/mcp-server.ts'
import { keepRecentAnswers } from '../mcp/recent-answers.ts'
import { followReviews } from '../mcp/review-feed.ts'
import type { Authenticate } from './authenticate.ts'
import { sendFault } from './mcp-messages.ts'
import { addStreamRoutes } from './mcp-stream-routes.ts'
import { addStreamableRoute } from './mcp-streamable-route.ts'
import type { McpSurroundings } from './mcp-surroundings.ts'
import type { Server } from './server.ts'
import { createStreamRoom } from './stream-room.ts'

/** Streams that this process holds open, and of them those of one address. */
const mostStreams = 1000
const mostStreamsOfOne = 200
/** Clients whose tokens are looked up at a time. */
const mostIdentified = 3

/** Adds `/mcp`, `/mcp/sse` and `/mcp/messages`. All streams end before the server closes. */
export async function addMcpRoutes(
  server: Server,
  ctx: McpSurroundings['ctx'],
  options: {
    backend: McpBackend
    database: Pick<OpenDatabase, 'listen'>
    authenticate: Authenticate
  },
): Promise<void> {
  const { access, agentTools } = ctx.config.mcp
  if (access === 'off') return
  const { database, authenticate } = options
  const backend = keepRecentAnswers(options.backend)
  const changes = new InMemoryServerEventBus()
  const onChange = (uri: string) => {
    backend.forget()
    changes.publish({ kind: 'resource_updated', uri })
  }
  const feed = await followReviews(database, onChange, backend.forget)
  server.addHook('onClose', () => feed.close())
  const identity = {
    name: ctx.config.serviceName,
    title: 'Umpire',
    version: (await readProgram()).version,
  }
  const surroundings: McpSurroundings = {
    ctx,
    backend,
    authenticate,
    changes,
    room: createStreamRoom({ streams: mostStreams, ofOneAddress: mostStreamsOfOne }),
    createServer: (caller, follow) => createMcpServer({ backend, identity, caller, follow }),
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
        sendFault(reply, 403, [
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
    if (identify) scope.addHook('onRequest', inTurn(identify))
    addStreamRoutes(scope, surroundings)
    addStreamableRoute(scope, surroundings)
  })
}

/** Few at a time: each asks the database, before the call itself waits for its turn. */
function inTurn(identify: onRequestAsyncHookHandler): onRequestAsyncHookHandler {
  const slots = createSlots(mostIdentified)
  return async function (request, reply) {
    const leave = await slots.take()
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
}: McpSurroundings['ctx']['config']): (request: FastifyRequest) => boolean {
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
