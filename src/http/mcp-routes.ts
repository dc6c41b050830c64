// Serves MCP over HTTP, with the HTTP+SSE transport and with Streamable HTTP.
import { InMemoryServerEventBus, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { OpenDatabase } from '../db/database.ts'
import { readPackageInfo } from '../lib/package-info.ts'
import { createLimiter } from '../lib/semaphore.ts'
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

const maxStreams = 1000
const maxStreamsPerAddress = 200
const maxConcurrentAuthentications = 3

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
    backend.clearCache()
    changes.publish({ kind: 'resource_updated', uri })
  }
  const subscription = await subscribeToReviews(database, onChange, backend.clearCache)
  server.addHook('onClose', () => subscription.close())
  const identity = {
    name: ctx.config.serviceName,
    title: 'Umpire',
    version: (await readPackageInfo()).version,
  }
  const transportContext: McpTransportContext = {
    ctx,
    backend,
    authenticate,
    changes,
    streamLimiter: createStreamLimiter({ maxStreams, maxPerAddress: maxStreamsPerAddress }),
    createServer: (caller, resourceChanges) =>
      createMcpServer({ backend, identity, caller, resourceChanges }),
  }
  await server.register(async (plainScope) => {
    const scope = plainScope as unknown as Server
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    )
    checkHosts(scope, ctx.config)
    const authenticationHook = chooseAuthentication(authenticate, { access, agentTools })
    if (authenticationHook) scope.addHook('onRequest', limitConcurrency(authenticationHook))
    addMcpSseRoutes(scope, transportContext)
    addMcpStreamableHttpRoute(scope, transportContext)
  })
}

function checkHosts(scope: Server, config: McpTransportContext['ctx']['config']): void {
  const isAllowed = createHostCheck(config)
  scope.addHook('onRequest', (request, reply, done) => {
    // MCP clients are not browsers, so no other header of helmet matters here.
    reply.header('x-content-type-options', 'nosniff')
    if (isAllowed(request)) {
      done()
      return
    }
    const message = 'Host or Origin not allowed: see MCP_ALLOWED_HOSTS'
    sendJsonRpcError(reply, 403, [ProtocolErrorCode.InvalidRequest, message])
  })
}

function chooseAuthentication(
  authenticate: Authenticate,
  {
    access,
    agentTools,
  }: Pick<McpTransportContext['ctx']['config']['mcp'], 'access' | 'agentTools'>,
): onRequestAsyncHookHandler | undefined {
  if (access === 'token') return authenticate.bearer
  return agentTools ? authenticate.optionalBearer : undefined
}

/** Bounds the database queries of authentication, which run before the limit of calls applies. */
function limitConcurrency(hook: onRequestAsyncHookHandler): onRequestAsyncHookHandler {
  const limit = createLimiter(maxConcurrentAuthentications)
  return async function (request, reply) {
    await limit(async () => hook.call(this, request, reply))
  }
}

/** Protects against DNS rebinding, by which a web page can reach this server under its own name. */
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
  const allowedNames = new Set(names.map((name) => name.toLowerCase()))
  const isAllowedUrl = (url: string) => allowedNames.has(URL.parse(url)?.hostname ?? '')
  return ({ headers: { host, origin } }) => {
    if (host === undefined || !isAllowedUrl(`http://${host}`)) return false
    return origin === undefined || isAllowedUrl(origin)
  }
}
