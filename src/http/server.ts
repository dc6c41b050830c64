// The HTTP server: limits, headers, request log, one error handler for all routes.
import { randomUUID } from 'node:crypto'
import cookie from '@fastify/cookie'
import helmet from '@fastify/helmet'
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify'
import {
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod'
import { RequestError } from '../domain/errors.ts'
import type { Log } from '../lib/logger.ts'
import { describeError } from './describe-error.ts'
import { limitShutdownTime } from './limit-shutdown-time.ts'
import { answerExpectations, answerMalformedHttp, answerUnknownPaths } from './unrouted-requests.ts'

/** The server, whose routes check what comes in and what goes out by their zod schemas. */
export type Server = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

/** Largest request body, in bytes, of routes that don't say otherwise. */
const bodyLimit = 1024 * 1024

/** In bytes, the address among them: the longest search takes three bytes for each of its own, and cookies some more. */
const maxHeaderSize = 40 * 1024

/**
 * Makes the server without routes. Every error body is `{ "detail": string }`.
 *
 * @param trustedProxies addresses and ranges whose `X-Forwarded-For` says where a request comes from
 */
export async function createServer(
  log: Log,
  trustedProxies: readonly string[] = [],
): Promise<Server> {
  const server: Server = fastify({
    trustProxy: [...trustedProxies],
    bodyLimit,
    // A client that sends nothing, or dawdles with its headers or body, is cut off within ten seconds: connections are
    // looked at once a second.
    requestTimeout: 8_000,
    connectionTimeout: 0,
    keepAliveTimeout: 65_000,
    http: { headersTimeout: 8_000, connectionsCheckingInterval: 1_000, maxHeaderSize },
    forceCloseConnections: 'idle',
    // What came before the end is still answered.
    return503OnClosing: false,
    clientErrorHandler: answerMalformedHttp,
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id)
      sendError(log, error, request, reply)
    },
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: false },
    logger: false,
    genReqId: () => randomUUID(),
  }).withTypeProvider<ZodTypeProvider>()
  server.setValidatorCompiler(validatorCompiler)
  server.setSerializerCompiler(serializerCompiler)
  acceptEmptyBodies(server)
  server.setErrorHandler((error: FastifyError, request, reply) =>
    sendError(log, error, request, reply),
  )
  server.removeContentTypeParser('text/plain')
  answerUnknownPaths(server)
  answerExpectations(server)
  limitShutdownTime(server)
  // These are part of every request: without a promise each.
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('cache-control', 'no-store')
    done()
  })
  server.addHook('onResponse', (request, reply, done) => {
    logRequest(log, request, reply)
    done()
  })
  await server.register(helmet, {
    // What is answered is data: nothing of it is to be run, framed or guessed at.
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
      },
    },
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  })
  await server.register(cookie)
  return server
}

/** Many clients announce a type with every request; where nothing comes after it, there is no body. */
function acceptEmptyBodies(server: Server): void {
  server.addHook('onRequest', ({ headers }, _reply, done) => {
    if (headers['content-length'] === '0') delete headers['content-type']
    done()
  })
  // Of a body in chunks it shows only when it has come.
  const parse = server.getDefaultJsonParser('error', 'error')
  server.addContentTypeParser<string>(
    'application/json',
    { parseAs: 'string' },
    (request, body, done) => (body === '' ? done(null) : parse(request, body, done)),
  )
}

/** The route's pattern, never the address itself: its query may hold what somebody searched for. */
function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const fields = {
    request_id: request.id,
    method: request.method,
    route: request.routeOptions.url ?? null,
    status: reply.statusCode,
    duration_ms: Math.round(reply.elapsedTime),
    user: request.caller?.userId,
  }
  if (request.routeOptions.config.quiet) log.debug(fields, 'Request answered')
  else log.info(fields, 'Request answered')
}

function sendError(log: Log, error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const { status, detail, retryAfterSeconds } = describeError(error, request.routeOptions.bodyLimit)
  if (status >= 500) {
    const { method, id } = request
    const fields = { request_id: id, method, route: request.routeOptions.url }
    // What we said on purpose is no fault of ours.
    if (error instanceof RequestError) log.warn({ ...fields, detail }, 'Request not fulfilled')
    else log.error({ ...fields, err: error }, 'Request failed')
  }
  // What is left of a body that is too large isn't read.
  if (status === 413) reply.header('connection', 'close')
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  return reply.code(status).type('application/json').serializer(JSON.stringify).send({ detail })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its requests come so often that they are logged at `debug` only. */
    quiet?: boolean
  }
}
