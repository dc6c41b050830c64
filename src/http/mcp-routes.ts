// The MCP server over HTTP: the streams of the first protocol revision, and Streamable HTTP of the current ones.
import { randomUUID } from 'node:crypto'
import {
  createMcpHandler,
  InMemoryServerEventBus,
  JSONRPC_VERSION,
  type JSONRPCMessage,
  type McpServerFactory,
  ProtocolErrorCode,
  parseJSONRPCMessage,
} from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../accounts/tokens.ts'
import type { AppContext } from '../context.ts'
import type { OpenDatabase } from '../db/database.ts'
import { RequestError } from '../domain/errors.ts'
import { openEventStream } from '../lib/event-stream.ts'
import { readProgram } from '../lib/program.ts'
import { answerMessage } from '../mcp/answer-message.ts'
import type { McpBackend } from '../mcp/backend.ts'
import { createMcpServer, type Follow } from '../mcp/mcp-server.ts'
import { followReviews } from '../mcp/review-feed.ts'
import { createSseTransport, type SseTransport } from '../mcp/sse-transport.ts'
import type { Authenticate } from './authenticate.ts'
import type { Server } from './server.ts'
import { whenGone } from './when-gone.ts'

/** Streams that this process holds open, and of them those of one address. */
const mostStreams = 1000
const mostStreamsOfOne = 200
const keepAliveMs = 15_000
/** A message of a client, in bytes: all that they ask with is short. */
const bodyLimit = 256 * 1024
const streamLimits = { retryMs: 2000, waitingBytes: 16 * 2 ** 20, lastReadMs: 1000 }

type McpContext = Pick<AppContext, 'config' | 'log'>

/** Makes a server for one client. */
type CreateMcpServer = (caller: Caller | null, follow?: Follow) => ReturnType<typeof createMcpServer>

/** Adds `/mcp`, `/mcp/sse` and `/mcp/messages`. All streams end before the server closes. */
export async function addMcpRoutes(
  server: Server,
  ctx: McpContext,
  options: { backend: McpBackend; database: Pick<OpenDatabase, 'listen'>; authenticate: Authenticate },
): Promise<void> {
  const { access } = ctx.config.mcp
  if (access === 'off') return
  const { backend, database, authenticate } = options
  const changes = new InMemoryServerEventBus()
  const feed = await followReviews(database, (uri) => changes.publish({ kind: 'resource_updated', uri }))
  server.addHook('onClose', () => feed.close())
  const follow: Follow = (onChange) =>
    changes.subscribe((event) => {
      if (event.kind === 'resource_updated') onChange(event.uri)
    })
  const identity = { name: ctx.config.serviceName, title: 'Umpire', version: (await readProgram()).version }
  const create: CreateMcpServer = (caller, follow) => createMcpServer({ backend, identity, caller, follow })

  await server.register(async (plain) => {
    const scope = plain as unknown as Server
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    const isKnown = createHostCheck(ctx.config)
    scope.addHook('onRequest', async (request, reply) => {
      if (!isKnown(request))
        return sendFault(reply, 403, ProtocolErrorCode.InvalidRequest, 'Host or Origin not allowed')
    })
    if (access === 'token') scope.addHook('onRequest', authenticate.bearer)
    addStreamRoutes(scope, ctx, create, follow)
    addStreamableRoute(scope, ctx, create, changes)
  })
}

interface Session {
  readonly transport: SseTransport
  /** Where it is asked from. */
  readonly address: string
  readonly userId: number | undefined
}

function addStreamRoutes(server: Server, ctx: McpContext, create: CreateMcpServer, follow: Follow): void {
  const { log, config } = ctx
  const messages = `${new URL(config.http.publicUrl).pathname.replace(/\/$/, '')}/mcp/messages`
  const sessions = new Map<string, Session>()
  server.addHook('preClose', async () => {
    for (const { transport } of sessions.values()) await transport.close()
  })

  server.get('/mcp/sse', { schema: { hide: true }, exposeHeadRoute: false }, async (request, reply) => {
    checkRoom([...sessions.values()], request.ip)
    const sessionId = randomUUID()
    const stream = openEventStream(streamLimits)
    const transport = createSseTransport(stream, `${messages}?sessionId=${sessionId}`)
    sessions.set(sessionId, { transport, address: request.ip, userId: request.caller?.userId })
    const timer = setInterval(() => stream.keepAlive(), keepAliveMs)
    stream.output.once('close', () => {
      clearInterval(timer)
      sessions.delete(sessionId)
    })
    const mcp = create(request.caller, follow)
    mcp.onerror = (error) => log.debug({ err: error }, 'An MCP client sent what is not understood')
    await mcp.connect(transport)
    return (
      reply
        .type('text/event-stream')
        // Nothing comes after it on this connection, and no proxy is to hold it back.
        .headers({ connection: 'close', 'x-accel-buffering': 'no' })
        .send(stream.output as never)
    )
  })

  const route = { schema: { hide: true }, bodyLimit, config: { quiet: true } }
  server.post<{ Querystring: { sessionId?: string } }>('/mcp/messages', route, async (request, reply) => {
    const read = readMessage(request.body)
    if ('fault' in read) return sendFault(reply, 400, ...read.fault)
    const { message } = read
    const { sessionId } = request.query
    if (sessionId !== undefined) {
      const session = sessions.get(sessionId)
      if (session === undefined || session.userId !== request.caller?.userId) {
        const id = 'id' in message ? (message.id ?? null) : null
        return sendFault(reply, 404, ProtocolErrorCode.InvalidRequest, 'Session not found', id)
      }
      session.transport.receive(message)
      return reply.code(202).type('text/plain').send('Accepted')
    }
    const answer = await answerMessage(create(request.caller), message, whenGone(reply))
    if (answer === null) return reply.code(202).send()
    return sendJson(reply, answer)
  })
}

/** Both protocol eras: requests that say all by themselves, and those that begin with `initialize`. */
function addStreamableRoute(
  server: Server,
  { log }: McpContext,
  create: CreateMcpServer,
  bus: InMemoryServerEventBus,
): void {
  // Those who subscribe here have a stream of the handler's own for it.
  const noFollow: Follow = () => () => undefined
  const factory: McpServerFactory = ({ era, authInfo }) => {
    const caller = (authInfo?.extra?.caller as Caller | undefined) ?? null
    return create(caller, era === 'modern' ? noFollow : undefined)
  }
  const handler = createMcpHandler(factory, {
    bus,
    keepAliveMs,
    maxSubscriptions: mostStreams,
    maxRequestBodySize: bodyLimit,
    onerror: (error) => log.debug({ err: error }, 'An MCP client sent what is not understood'),
  })
  server.addHook('preClose', () => handler.close())
  server.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    schema: { hide: true },
    exposeHeadRoute: false,
    bodyLimit,
    config: { quiet: true },
    handler: async (request, reply) => {
      const { caller } = request
      const authInfo = caller === null ? {} : { authInfo: { token: '', clientId: '', scopes: [], extra: { caller } } }
      return reply.send(await handler.fetch(toWebRequest(request, reply), authInfo))
    },
  })
}

function toWebRequest(request: FastifyRequest, reply: FastifyReply): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each)
  }
  const body = typeof request.body === 'string' ? { body: request.body } : {}
  return new Request(`http://mcp${request.url}`, { method: request.method, headers, signal: whenGone(reply), ...body })
}

type ReadMessage = { readonly message: JSONRPCMessage } | { readonly fault: [code: number, message: string] }

function readMessage(body: unknown): ReadMessage {
  let given: unknown
  try {
    given = JSON.parse(String(body))
  } catch {
    return { fault: [ProtocolErrorCode.ParseError, 'Parse error: the body is no JSON'] }
  }
  try {
    return { message: parseJSONRPCMessage(given) }
  } catch {
    return { fault: [ProtocolErrorCode.InvalidRequest, 'Invalid request: the body is no JSON-RPC 2.0 message'] }
  }
}

type MessageId = string | number | null

function sendFault(reply: FastifyReply, status: number, code: number, message: string, id: MessageId = null) {
  return sendJson(reply.code(status), { jsonrpc: JSONRPC_VERSION, error: { code, message }, id })
}

function sendJson(reply: FastifyReply, body: unknown) {
  return reply.type('application/json').serializer(JSON.stringify).send(body)
}

/** Keeps web pages of others away, which a browser lets in under a name that leads to us (DNS rebinding). */
function createHostCheck({ http, mcp }: McpContext['config']): (request: FastifyRequest) => boolean {
  const names = [new URL(http.publicUrl).hostname, http.host, 'localhost', '127.0.0.1', '[::1]', ...mcp.allowedHosts]
  const known = new Set(names.map((name) => name.toLowerCase()))
  const isKnown = (url: string) => known.has(URL.parse(url)?.hostname ?? '')
  return ({ headers: { host, origin } }) =>
    host !== undefined && isKnown(`http://${host}`) && (origin === undefined || isKnown(origin))
}

function checkRoom(sessions: readonly Session[], address: string): void {
  const own = sessions.filter((session) => session.address === address).length
  if (sessions.length < mostStreams && own < mostStreamsOfOne) return
  throw new RequestError('too_many', 'Too many MCP streams are open: close some first')
}
