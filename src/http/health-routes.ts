// Health: whether the process lives, and whether it can work.
import { RequestError } from '../domain/errors.ts'
import { healthz, readyz } from './contract/health.ts'
import type { Server } from './server.ts'

/** `/healthz` never touches the database; `/readyz` asks it. */
export function addHealthRoutes(server: Server, options: { checkReady: () => Promise<void> }): void {
  server.get('/healthz', { schema: healthz, config: { quiet: true } }, async () => ({ status: 'ok' as const }))
  server.get('/readyz', { schema: readyz, config: { quiet: true } }, async () => {
    try {
      await options.checkReady()
    } catch (cause) {
      throw new RequestError('not_configured', 'Not ready: the database does not answer or cannot store', { cause })
    }
    return { status: 'ready' as const }
  })
}
