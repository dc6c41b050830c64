// Lets clients' connections go when the server closes.
import type { Socket } from 'node:net'
import type { Server } from './server.ts'

/** Requests that came before the end are answered within this, or not at all. */
const shutdownGraceMs = 8_000

/**
 * Bounds how long closing takes. Node closes at once what is between two requests, and waits without an end for the
 * others: connections that clients opened ahead of a first request, which may never come, and those that go idle later.
 */
export function limitShutdownTime(server: Server): void {
  const http = server.server
  const unused = new Set<Socket>()
  http.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  http.on('request', ({ socket }) => unused.delete(socket))
  server.addHook('preClose', async () => {
    for (const socket of unused) socket.destroy()
    const idle = setInterval(() => http.closeIdleConnections(), 100).unref()
    const last = setTimeout(() => http.closeAllConnections(), shutdownGraceMs).unref()
    http.once('close', () => {
      clearInterval(idle)
      clearTimeout(last)
    })
  })
}
