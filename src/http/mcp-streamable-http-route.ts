// Adds the MCP endpoint for Streamable HTTP, with or without a preceding `initialize`.
import {
  createMcpHandler,
  type McpServerFactory,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Caller } from '../accounts/tokens.ts'
import type { ResourceChanges } from '../mcp/mcp-server.ts'
import { readJson, sendJsonRpcError } from './mcp-messages.ts'
import {
  createResourceChanges,
  keepAliveMs,
  type McpTransportContext,
  maxMessageBytes,
  watchCaller,
} from './mcp-transport-context.ts'
import { onDisconnect } from './on-disconnect.ts'
import type { Server } from './server.ts'

/** Clients of the newer protocol get changes on a stream that the handler itself serves. */
const noResourceChanges: ResourceChanges = {
  resolveUri: async () => undefined,
  subscribe: () => () => undefined,
}

/** Adds `/mcp`. */
export function addMcpStreamableHttpRoute(server: Server, context: McpTransportContext): void {
  const handler = createHandler(context)
  server.addHook('preClose', () => handler.close())
  server.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    schema: { hide: true },
    helmet: false,
    exposeHeadRoute: false,
    bodyLimit: maxMessageBytes,
    config: { quiet: true },
    handler: async (request, reply) => {
      const disconnected = onDisconnect(reply)
      const exchange = { handler, request, reply }
      if (request.method !== 'POST') return forward(exchange, disconnected)
      const result = readJson(request.body)
      if ('error' in result) return sendJsonRpcError(reply, 400, result.error)
      const message = result.value
      if (!isListenRequest(message)) return forward(exchange, disconnected, message)
      const listenRequest = listenRequestSchema.safeParse(message)
      if (!listenRequest.success) {
        const detail = 'The subscriptions are invalid'
        return sendJsonRpcError(reply, 400, [ProtocolErrorCode.InvalidParams, detail])
      }
      const resourceChanges = createResourceChanges(context, request.caller)
      const restricted = await restrictSubscriptions(listenRequest.data, resourceChanges)
      const signal = trackStream(context, request, reply, disconnected)
      return forward(exchange, signal, restricted)
    },
  })
}

type Handler = ReturnType<typeof createMcpHandler>

function createHandler({ ctx, changes, createServer }: McpTransportContext): Handler {
  const factory: McpServerFactory = ({ era, authInfo }) => {
    const caller = (authInfo?.extra?.caller as Caller | undefined) ?? null
    return createServer(caller, era === 'modern' ? noResourceChanges : undefined)
  }
  return createMcpHandler(factory, {
    bus: changes,
    keepAliveMs,
    // The stream limiter counts subscriptions together with the streams of the other transport.
    maxSubscriptions: Number.POSITIVE_INFINITY,
    maxRequestBodySize: maxMessageBytes,
    onerror: (error) => ctx.log.debug({ err: error }, 'An MCP client sent invalid data'),
  })
}

/** Passes a request to the handler and sends its response. */
async function forward(
  { handler, request, reply }: { handler: Handler; request: FastifyRequest; reply: FastifyReply },
  signal: AbortSignal,
  parsedBody?: unknown,
) {
  const { caller } = request
  const authInfo = { token: '', clientId: '', scopes: [], extra: { caller } }
  const response = await handler.fetch(toWebRequest(request, signal), {
    ...(caller === null ? {} : { authInfo }),
    parsedBody,
  })
  // This server decides on its own whether the connection stays open.
  response.headers.delete('connection')
  if (response.headers.get('content-type') !== 'application/json') return reply.send(response)
  // JSON is sent as text, because the conversion of a web stream costs more than the request.
  return reply
    .code(response.status)
    .headers(Object.fromEntries(response.headers))
    .send(await response.text())
}

const listenRequestSchema = z.looseObject({
  params: z.looseObject({
    notifications: z.looseObject({
      resourceSubscriptions: z.array(z.string()).max(200).optional(),
    }),
  }),
})

function isListenRequest(message: unknown): boolean {
  return (
    typeof message === 'object' &&
    message !== null &&
    'method' in message &&
    message.method === 'subscriptions/listen'
  )
}

/** Keeps only resources that the client can see, under the URIs that changes are published with. */
async function restrictSubscriptions(
  message: z.output<typeof listenRequestSchema>,
  resourceChanges: ResourceChanges,
): Promise<unknown> {
  const { notifications } = message.params
  const resolvedUris = await Promise.all(
    (notifications.resourceSubscriptions ?? []).map((uri) => resourceChanges.resolveUri(uri)),
  )
  const resourceSubscriptions = resolvedUris.filter((uri) => uri !== undefined)
  return {
    ...message,
    params: { ...message.params, notifications: { ...notifications, resourceSubscriptions } },
  }
}

/** Counts a stream until it ends. Returns a signal that ends it. */
function trackStream(
  context: McpTransportContext,
  request: FastifyRequest,
  reply: FastifyReply,
  disconnected: AbortSignal,
): AbortSignal {
  const releaseStream = context.streamLimiter.acquire(request.ip)
  const callerLost = new AbortController()
  const unwatch = watchCaller(context, request, () => callerLost.abort())
  reply.raw.once('close', () => {
    unwatch()
    releaseStream()
  })
  return AbortSignal.any([disconnected, callerLost.signal])
}

function toWebRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers(request.headers as Record<string, string>)
  return new Request(`http://mcp${request.url}`, { method: request.method, headers, signal })
}
