// Health: whether the process lives, and whether it can work.
import type { Server } from './server.ts'

/** `/healthz` never touches the database; `/readyz` asks it. */
export function addHealthRoutes(server: Server, options: { checkReady: () => Promise<void> }): void {
  server.get('/healthz', { config: { quiet: true } }, async () => ({ status: 'ok' }))
  server.get('/readyz', { config: { quiet: true } }, async (_request, reply) => {
    try {
      await options.checkReady()
      return { status: 'ready' }
    } catch {
      return reply.code(503).send({ detail: 'Not ready: the database does not answer or cannot store' })
    }
  })
}
