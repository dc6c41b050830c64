// Closes client connections when the server shuts down.
import type { Socket } from 'node:net'
import type { Server } from './server.ts'

/** Requests in flight that take longer are cut off. */
const shutdownGraceMs = 8_000

/**
 * Limits the time that closing the server takes. Node closes only connections that are idle at that
 * moment. It waits forever for connections that never had a request, and for those that become
 * idle later.
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
    const idleTimer = setInterval(() => http.closeIdleConnections(), 100).unref()
    const graceTimer = setTimeout(() => http.closeAllConnections(), shutdownGraceMs).unref()
    http.once('close', () => {
      clearInterval(idleTimer)
      clearTimeout(graceTimer)
    })
  })
}
