// MCP over Streamable HTTP, of both protocol eras: requests that say all by themselves, and those after `initialize`.
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

/** Those who subscribe here have a stream of the handler's own for it. */
const noResourceChanges: ResourceChanges = {
  resolveUri: async () => undefined,
  subscribe: () => () => undefined,
}

/** Adds `/mcp`. */
export function addMcpStreamableHttpRoute(server: Server, surroundings: McpTransportContext): void {
  const { ctx, changes, createServer } = surroundings
  const factory: McpServerFactory = ({ era, authInfo }) => {
    const caller = (authInfo?.extra?.caller as Caller | undefined) ?? null
    return createServer(caller, era === 'modern' ? noResourceChanges : undefined)
  }
  const handler = createMcpHandler(factory, {
    bus: changes,
    keepAliveMs,
    // They are counted with those of the other transport.
    maxSubscriptions: Number.POSITIVE_INFINITY,
    maxRequestBodySize: maxMessageBytes,
    onerror: (error) => ctx.log.debug({ err: error }, 'An MCP client sent what is not understood'),
  })
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
      const { caller } = request
      const options =
        caller === null
          ? {}
          : { authInfo: { token: '', clientId: '', scopes: [], extra: { caller } } }
      const send = async (signal: AbortSignal, parsedBody?: unknown) => {
        const response = await handler.fetch(toWebRequest(request, signal), {
          ...options,
          parsedBody,
        })
        // Whether a connection goes on is between the client and this server.
        response.headers.delete('connection')
        if (response.headers.get('content-type') !== 'application/json') return reply.send(response)
        // A stream of the other kind would cost more than all the rest.
        return reply
          .code(response.status)
          .headers(Object.fromEntries(response.headers))
          .send(await response.text())
      }
      const gone = onDisconnect(reply)
      if (request.method !== 'POST') return send(gone)
      const read = readJson(request.body)
      if ('fault' in read) return sendJsonRpcError(reply, 400, read.fault)
      if (!isListenRequest(read.value)) return send(gone, read.value)
      const asked = listenRequest.safeParse(read.value)
      if (!asked.success)
        return sendJsonRpcError(reply, 400, [
          ProtocolErrorCode.InvalidParams,
          'These are no valid subscriptions',
        ])
      const narrowed = await restrictSubscriptions(
        asked.data,
        createResourceChanges(surroundings, caller),
      )
      return send(trackStream(surroundings, request, reply, gone), narrowed)
    },
  })
}

const listenRequest = z.looseObject({
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

/** With the addresses under which changes are told, of those resources that the client may follow. */
async function restrictSubscriptions(
  message: z.output<typeof listenRequest>,
  follow: ResourceChanges,
): Promise<unknown> {
  const { notifications } = message.params
  const asked = await Promise.all(
    (notifications.resourceSubscriptions ?? []).map((uri) => follow.resolveUri(uri)),
  )
  const resourceSubscriptions = asked.filter((uri) => uri !== undefined)
  return {
    ...message,
    params: { ...message.params, notifications: { ...notifications, resourceSubscriptions } },
  }
}

/** Takes a place for a stream until it ends. Returns what ends it. */
function trackStream(
  surroundings: McpTransportContext,
  request: FastifyRequest,
  reply: FastifyReply,
  gone: AbortSignal,
): AbortSignal {
  const leave = surroundings.streamLimiter.acquire(request.ip)
  const lost = new AbortController()
  const unwatch = watchCaller(surroundings, request, () => lost.abort())
  reply.raw.once('close', () => {
    unwatch()
    leave()
  })
  return AbortSignal.any([gone, lost.signal])
}

function toWebRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers(request.headers as Record<string, string>)
  return new Request(`http://mcp${request.url}`, { method: request.method, headers, signal })
}
