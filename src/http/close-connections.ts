// Lets clients' connections go when the server closes.
import type { Socket } from 'node:net'
import type { Server } from './server.ts'

/** Requests that came before the end are answered within this, or not at all. */
const lastRequestsMs = 8_000

/**
 * Bounds how long closing takes. Node closes connections between two requests and waits for the others without an end;
 * among them are those that clients opened ahead of their first request, which may never come.
 */
export function boundClosing(server: Server): void {
  const unused = new Set<Socket>()
  server.server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.server.on('request', ({ socket }) => unused.delete(socket))
  server.addHook('preClose', async () => {
    for (const socket of unused) socket.destroy()
    setTimeout(() => server.server.closeAllConnections(), lastRequestsMs).unref()
  })
}
