// Serves MCP over HTTP with SSE, and single messages without a session.
import { randomUUID } from 'node:crypto'
import { type JSONRPCMessage, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { openEventStream } from '../lib/event-stream.ts'
import { answerMessage } from '../mcp/answer-message.ts'
import { createSseTransport, type SseTransport } from '../mcp/sse-transport.ts'
import { readMessage, sendJson, sendJsonRpcError } from './mcp-messages.ts'
import {
  createResourceChanges,
  keepAliveMs,
  type McpTransportContext,
  maxMessageBytes,
  watchCaller,
} from './mcp-transport-context.ts'
import { onDisconnect } from './on-disconnect.ts'
import type { Server } from './server.ts'

const streamOptions = { retryMs: 2000, maxBufferedCharacters: 2 ** 20, drainTimeoutMs: 1000 }
/** A client that posts to one of these sessions gets the reason why it was closed. */
const maxCutOffSessions = 1000

const sessionNotFoundMessage = 'Session not found'
const sessionCutOffMessage =
  'This session is closed: its client left more than 1 MB of answers unread. Open a new one.'

interface Session {
  readonly transport: SseTransport
  readonly userId: number | undefined
}

interface Sessions {
  readonly open: Map<string, Session>
  /** The latest ones that were cut off. */
  readonly cutOff: LRUCache<string, true>
}

/** Adds `/mcp/sse` and `/mcp/messages`. */
export function addMcpSseRoutes(server: Server, context: McpTransportContext): void {
  const sessions: Sessions = { open: new Map(), cutOff: new LRUCache({ max: maxCutOffSessions }) }
  server.addHook('preClose', async () => {
    for (const { transport } of sessions.open.values()) await transport.close()
  })
  addStreamRoute(server, context, sessions)
  addMessagesRoute(server, context, sessions)
}

function addStreamRoute(server: Server, context: McpTransportContext, sessions: Sessions): void {
  const { ctx } = context
  const basePath = new URL(ctx.config.http.publicUrl).pathname.replace(/\/$/, '')
  const route = { schema: { hide: true }, helmet: false, exposeHeadRoute: false } as const
  server.get('/mcp/sse', route, async (request, reply) => {
    const releaseStream = context.streamLimiter.acquire(request.ip)
    const sessionId = randomUUID()
    const cutOff = () => {
      sessions.cutOff.set(sessionId, true)
      sessions.open.delete(sessionId)
      const message = 'An MCP stream was cut off: its client does not read'
      ctx.log.info({ request_id: request.id }, message)
      void transport.close()
    }
    const stream = openEventStream({ ...streamOptions, onSlowReader: cutOff })
    const messagesUrl = `${basePath}/mcp/messages?sessionId=${sessionId}`
    const transport = createSseTransport(stream, messagesUrl)
    sessions.open.set(sessionId, { transport, userId: request.caller?.userId })
    const timer = setInterval(() => stream.keepAlive(), keepAliveMs)
    const unwatch = watchCaller(context, request, () => stream.end())
    stream.output.once('close', () => {
      clearInterval(timer)
      unwatch()
      sessions.open.delete(sessionId)
      releaseStream()
    })
    const resourceChanges = createResourceChanges(context, request.caller)
    const mcpServer = context.createServer(request.caller, resourceChanges)
    mcpServer.onerror = (error) => ctx.log.debug({ err: error }, 'An MCP client sent invalid data')
    await mcpServer.connect(transport)
    return (
      reply
        .type('text/event-stream')
        // The connection can't be reused after a stream, and proxies must not buffer it.
        .headers({ connection: 'close', 'x-accel-buffering': 'no' })
        .send(stream.output as never)
    )
  })
}

function addMessagesRoute(server: Server, context: McpTransportContext, sessions: Sessions): void {
  const route = {
    schema: { hide: true },
    helmet: false,
    bodyLimit: maxMessageBytes,
    config: { quiet: true },
  } as const
  server.post<{ Querystring: { sessionId?: string } }>(
    '/mcp/messages',
    route,
    async (request, reply) => {
      const result = readMessage(request.body)
      if ('error' in result) return sendJsonRpcError(reply, 400, result.error)
      const message = result.value
      const { sessionId } = request.query
      if (sessionId !== undefined) {
        return receiveMessage({ sessions, sessionId, request, reply }, message)
      }
      const mcpServer = context.createServer(request.caller)
      const answer = await answerMessage(mcpServer, message, onDisconnect(reply))
      if (answer === null) return reply.code(202).send()
      return sendJson(reply, answer)
    },
  )
}

/** Passes a message to its session, which sends the answer on its stream. */
function receiveMessage(
  exchange: {
    sessions: Sessions
    sessionId: string
    request: Pick<FastifyRequest, 'caller'>
    reply: FastifyReply
  },
  message: JSONRPCMessage,
) {
  const { sessions, sessionId, request, reply } = exchange
  const session = sessions.open.get(sessionId)
  if (session === undefined || session.userId !== request.caller?.userId) {
    const id = 'id' in message ? (message.id ?? null) : null
    const isCutOff = sessions.cutOff.has(sessionId)
    const reason = isCutOff ? sessionCutOffMessage : sessionNotFoundMessage
    return sendJsonRpcError(reply, 404, [ProtocolErrorCode.InvalidRequest, reason], id)
  }
  session.transport.receive(message)
  return reply.code(202).type('text/plain').send('Accepted')
}
