// Answers requests that reach no route: unknown paths and methods, and malformed HTTP.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Server } from './server.ts'

/** Programs and the page itself request these. The page never has an address below them. */
const apiPaths = /^\/(?:api|auth|mcp|assets|docs|schemas)(?:\/|$)/

/**
 * Answers 404 for unknown paths, and 405 for known paths with another method. A browser that opens
 * an unknown address gets the page.
 */
export function answerUnknownPaths(server: Server): void {
  server.decorate('sendNotFoundPage', null)
  const routes: { method: string; pattern: RegExp }[] = []
  server.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) routes.push({ method: name, pattern: toPattern(url) })
  })
  server.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?')[0] as string
    const allowed = new Set(
      routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method),
    )
    if (allowed.size === 0) {
      if (server.sendNotFoundPage !== null && opensPage(request, path))
        return server.sendNotFoundPage(reply.code(404))
      return reply.code(404).send({ detail: 'Not found' })
    }
    return reply
      .code(405)
      .header('allow', [...allowed].sort().join(', '))
      .send({ detail: 'Method not allowed' })
  })
}

function opensPage({ method, headers }: FastifyRequest, path: string): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && headers.accept?.includes('text/html') === true && !apiPaths.test(path)
}

function toPattern(url: string): RegExp {
  const source = url
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\*|:\w+/g, (part) => (part === '*' ? '.*' : '[^/]*'))
  return new RegExp(`^${source}$`)
}

/** Answers an `Expect` header other than `100-continue`, which Node would answer without a body. */
export function answerExpectations(server: Server): void {
  server.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    response.statusCode = 417
    response.setHeader('content-type', 'application/json').setHeader('connection', 'close')
    response.end(JSON.stringify({ detail: 'The value of the Expect header is not supported' }))
  })
}

const responseByErrorCode: Readonly<Record<string, readonly [status: number, detail: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The extensions of a chunk are too large'],
}

/** Answers malformed HTTP, and closes the connection. */
export function answerMalformedHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (socket.writable && error.code !== 'ECONNRESET') {
    const malformed = [400, 'The request is malformed'] as const
    const [status, detail] = responseByErrorCode[error.code ?? ''] ?? malformed
    const body = JSON.stringify({ detail })
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    )
  }
  socket.destroy()
}
