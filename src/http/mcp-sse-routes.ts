// MCP over a stream of events and posted messages, and single messages without a stream.
import { randomUUID } from 'node:crypto'
import { ProtocolErrorCode } from '@modelcontextprotocol/server'
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

/** An answer more than this may wait. */
const streamLimits = { retryMs: 2000, maxBufferedCharacters: 2 ** 20, drainTimeoutMs: 1000 }
/** Sessions that are remembered, so that whoever posts to one is told why it is over. */
const maxCutOffSessions = 1000

const sessionNotFound = 'Session not found'
const sessionCutOff =
  'This session is over: more than 1 MB of answers waited for the reader of its stream. Open another'

interface Session {
  readonly transport: SseTransport
  readonly userId: number | undefined
}

/** Adds `/mcp/sse` and `/mcp/messages`. */
export function addMcpSseRoutes(server: Server, surroundings: McpTransportContext): void {
  const { ctx, streamLimiter: room, createServer } = surroundings
  const messages = `${new URL(ctx.config.http.publicUrl).pathname.replace(/\/$/, '')}/mcp/messages`
  const sessions = new Map<string, Session>()
  const cutOff = createCutOffSessions()
  server.addHook('preClose', async () => {
    for (const { transport } of sessions.values()) await transport.close()
  })

  server.get(
    '/mcp/sse',
    { schema: { hide: true }, helmet: false, exposeHeadRoute: false },
    async (request, reply) => {
      const leave = room.acquire(request.ip)
      const sessionId = randomUUID()
      const onCutOff = () => {
        cutOff.add(sessionId)
        sessions.delete(sessionId)
        ctx.log.info(
          { request_id: request.id },
          'An MCP stream was cut off: its client does not read',
        )
        void transport.close()
      }
      const stream = openEventStream({ ...streamLimits, onSlowReader: onCutOff })
      const transport = createSseTransport(stream, `${messages}?sessionId=${sessionId}`)
      sessions.set(sessionId, { transport, userId: request.caller?.userId })
      const timer = setInterval(() => stream.keepAlive(), keepAliveMs)
      const unwatch = watchCaller(surroundings, request, () => stream.end())
      stream.output.once('close', () => {
        clearInterval(timer)
        unwatch()
        sessions.delete(sessionId)
        leave()
      })
      const mcp = createServer(request.caller, createResourceChanges(surroundings, request.caller))
      mcp.onerror = (error) =>
        ctx.log.debug({ err: error }, 'An MCP client sent what is not understood')
      await mcp.connect(transport)
      return (
        reply
          .type('text/event-stream')
          // Nothing comes after it on this connection, and no proxy is to hold it back.
          .headers({ connection: 'close', 'x-accel-buffering': 'no' })
          .send(stream.output as never)
      )
    },
  )

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
      const read = readMessage(request.body)
      if ('fault' in read) return sendJsonRpcError(reply, 400, read.fault)
      const { value: message } = read
      const { sessionId } = request.query
      if (sessionId !== undefined) {
        const session = sessions.get(sessionId)
        if (session === undefined || session.userId !== request.caller?.userId) {
          const id = 'id' in message ? (message.id ?? null) : null
          const reason = cutOff.has(sessionId) ? sessionCutOff : sessionNotFound
          return sendJsonRpcError(reply, 404, [ProtocolErrorCode.InvalidRequest, reason], id)
        }
        session.transport.receive(message)
        return reply.code(202).type('text/plain').send('Accepted')
      }
      const answer = await answerMessage(createServer(request.caller), message, onDisconnect(reply))
      if (answer === null) return reply.code(202).send()
      return sendJson(reply, answer)
    },
  )
}

/** The last ones that were. */
function createCutOffSessions() {
  const known = new Set<string>()
  return {
    has: (id: string) => known.has(id),
    add(id: string) {
      known.add(id)
      const [oldest] = known
      if (known.size > maxCutOffSessions && oldest !== undefined) known.delete(oldest)
    },
  }
}
