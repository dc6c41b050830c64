// Creates the HTTP server with its limits, headers, request log and error handler.
import { randomUUID } from 'node:crypto'
import cookie from '@fastify/cookie'
import helmet from '@fastify/helmet'
import fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify'
import {
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod'
import { RequestError } from '../domain/errors.ts'
import type { Log } from '../lib/logger.ts'
import { describeError } from './describe-error.ts'
import { limitShutdownTime } from './limit-shutdown-time.ts'
import type { Server } from './server.ts'
import { answerExpectations, answerMalformedHttp, answerUnknownPaths } from './unrouted-requests.ts'

/** The default limit in bytes. Routes can override it. */
const bodyLimit = 1024 * 1024

/** Headers and URL in bytes. A percent-encoded search takes up to 30 KB, and cookies need space. */
const maxHeaderSize = 40 * 1024

/**
 * Creates the server without routes. Every error body is `{ "detail": string }`.
 *
 * @param trustedProxies addresses and ranges of proxies whose `X-Forwarded-For` is trusted
 */
export async function createServer(
  log: Log,
  trustedProxies: readonly string[] = [],
): Promise<Server> {
  const server: Server = fastify({
    trustProxy: [...trustedProxies],
    bodyLimit,
    // Disconnects a client that is slow to send headers or body within ten seconds.
    requestTimeout: 8_000,
    connectionTimeout: 0,
    keepAliveTimeout: 65_000,
    http: { headersTimeout: 8_000, connectionsCheckingInterval: 1_000, maxHeaderSize },
    forceCloseConnections: 'idle',
    // Requests that arrived before the shutdown are still answered.
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
  // These hooks run for every request. With callbacks they avoid the cost of a promise.
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('cache-control', 'no-store')
    done()
  })
  server.addHook('onResponse', (request, reply, done) => {
    logRequest(log, request, reply)
    done()
  })
  await server.register(helmet, {
    // Responses are data, so browsers must not execute or frame them.
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

/** Many clients send a content type without a body. Such requests are valid. */
function acceptEmptyBodies(server: Server): void {
  server.addHook('onRequest', ({ headers }, _reply, done) => {
    if (headers['content-length'] === '0') delete headers['content-type']
    done()
  })
  // A chunked body has no length, so it turns out to be empty only when it is parsed.
  const parse = server.getDefaultJsonParser('error', 'error')
  server.addContentTypeParser<string>(
    'application/json',
    { parseAs: 'string' },
    (request, body, done) => (body === '' ? done(null) : parse(request, body, done)),
  )
}

/** Logs the route pattern, never the URL, because its query can contain what a person searched. */
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
    // A RequestError is thrown on purpose, so it is not a defect of the service.
    if (error instanceof RequestError) log.warn({ ...fields, detail }, 'Request not fulfilled')
    else log.error({ ...fields, err: error }, 'Request failed')
  }
  // The rest of a body that is too large is not read, so the connection can't be reused.
  if (status === 413) reply.header('connection', 'close')
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  return reply.code(status).type('application/json').serializer(JSON.stringify).send({ detail })
}
