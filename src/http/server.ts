// The HTTP server: limits, request log, one error handler for all routes.
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { isDatabaseUnavailable } from '../db/errors.ts'
import { UmpireError } from '../domain/errors.ts'
import type { Log } from '../lib/logger.ts'

/** Largest request body, in bytes; the platform's own limit for deliveries. */
export const bodyLimit = 25 * 1024 * 1024

const errorStatus: Readonly<Record<string, number>> = {
  delivery_invalid: 400,
}

/** Makes the server without routes. Every error body is `{ "detail": string }`. */
export function createServer(log: Log): FastifyInstance {
  const server = fastify({
    bodyLimit,
    // A client that dawdles with its headers or body is cut off, ten seconds after it began at the latest.
    requestTimeout: 8_000,
    connectionTimeout: 0,
    keepAliveTimeout: 65_000,
    http: { headersTimeout: 8_000, connectionsCheckingInterval: 2_000 },
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: false },
    logger: false,
  })
  server.setErrorHandler((error: FastifyError, request, reply) => sendError(log, error, request, reply))
  server.setNotFoundHandler((request, reply) => sendNotFound(server, request, reply))
  server.addHook('onSend', async (_request, reply) => {
    reply.header('x-content-type-options', 'nosniff').header('cache-control', 'no-store')
  })
  return server
}

function sendError(log: Log, error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const { status, detail } = describeError(error)
  if (status >= 500) log.error({ err: error, method: request.method, url: request.routeOptions.url }, 'Request failed')
  // What is left of a body that is too large isn't read.
  if (status === 413) reply.header('connection', 'close')
  if (status === 503) reply.header('retry-after', '5')
  return reply.code(status).send({ detail })
}

function describeError(error: FastifyError): { status: number; detail: string } {
  if (isDatabaseUnavailable(error)) return { status: 503, detail: 'The database is not reachable. Try again.' }
  const known = error instanceof UmpireError ? errorStatus[error.code] : undefined
  if (known !== undefined) return { status: known, detail: error.message }
  if (error instanceof UmpireError) return { status: 500, detail: 'Internal server error' }
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return { status: 413, detail: `The body is larger than ${bodyLimit} bytes` }
  }
  const status = error.statusCode ?? 500
  return status < 500 ? { status, detail: error.message } : { status: 500, detail: 'Internal server error' }
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

function sendNotFound(server: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
  const url = request.url.split('?')[0] as string
  const allowed = methods.filter((method) => server.findRoute({ method, url }) !== null)
  if (allowed.length === 0) return reply.code(404).send({ detail: 'Not found' })
  return reply.code(405).header('allow', allowed.join(', ')).send({ detail: 'Method not allowed' })
}
