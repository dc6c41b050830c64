// Health: whether the process lives, and whether it can work.
import type { FastifyInstance } from 'fastify'

/** `/healthz` never touches the database; `/readyz` asks it. */
export function addHealthRoutes(server: FastifyInstance, options: { checkReady: () => Promise<void> }): void {
  server.get('/healthz', async () => ({ status: 'ok' }))
  server.get('/readyz', async (_request, reply) => {
    try {
      await options.checkReady()
      return { status: 'ready' }
    } catch {
      return reply.code(503).send({ detail: 'Not ready: the database does not answer or cannot store' })
    }
  })
}
