// Adds the endpoints that check liveness and readiness.

import { healthzSchema, readyzSchema } from '../contract/health-schemas.ts'
import { RequestError } from '../domain/errors.ts'
import type { Server } from './server.ts'

/**
 * Adds `/healthz`, which never queries the database, and `/readyz`.
 *
 * @param options.findUnready returns why the service is not ready, or null. Rejects if the
 *   database fails.
 */
export function addHealthRoutes(
  server: Server,
  options: { findUnready: () => Promise<string | null> },
): void {
  server.get('/healthz', { schema: healthzSchema, config: { quiet: true } }, async () => ({
    status: 'ok' as const,
  }))
  server.get('/readyz', { schema: readyzSchema, config: { quiet: true } }, async () => {
    const reason = await options.findUnready().catch((cause: unknown) => {
      throw new RequestError(
        'not_configured',
        'Not ready: the database does not answer or cannot store',
        { cause },
      )
    })
    if (reason !== null) throw new RequestError('not_configured', `Not ready: ${reason}`)
    return { status: 'ready' as const }
  })
}
