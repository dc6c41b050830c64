// Adds the endpoints that check liveness and readiness.
import * as contract from '../contract/health-endpoints.ts'
import { RequestError } from '../domain/errors.ts'
import type { AddRoute } from './add-route.ts'

const options = { config: { quiet: true } }

/**
 * Adds `/healthz`, which never queries the database, and `/readyz`.
 *
 * @param findUnready returns why the service is not ready, or null. Rejects if the database fails.
 */
export function addHealthRoutes(
  addRoute: AddRoute,
  findUnready: () => Promise<string | null>,
): void {
  addRoute(contract.healthz, () => ({ status: 'ok' as const }), options)
  const readReadiness = async () => {
    const reason = await findUnready().catch((cause: unknown) => {
      throw new RequestError(
        'not_configured',
        'Not ready: the database does not answer or cannot store',
        { cause },
      )
    })
    if (reason !== null) throw new RequestError('not_configured', `Not ready: ${reason}`)
    return { status: 'ready' as const }
  }
  addRoute(contract.readyz, readReadiness, options)
}
