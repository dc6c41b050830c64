// Adds the endpoint that lists deliveries and their results.
import { findScope, type Scope } from '../accounts/scope.ts'
import type { AppContext } from '../context.ts'
import * as contract from '../contract/review-schemas.ts'
import { RequestError } from '../domain/errors.ts'
import { listDeliveries } from '../events/list-deliveries.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import type { Server } from './server.ts'
import { fetchLimit, slicePage } from './slice-page.ts'

/** Adds `GET /api/v1/deliveries`. */
export function addDeliveryRoutes(
  server: Server,
  ctx: AppContext,
  authenticate: Authenticate,
): void {
  const route = { schema: contract.listDeliveriesSchema, onRequest: authenticate.either }
  server.get('/api/v1/deliveries', route, async (request) => {
    const { repo, status, limit, before } = request.query
    const scope = narrowScope(await findScope(ctx.db, callerOf(request)), repo)
    const found = await listDeliveries(ctx.db, { scope, status, limit: fetchLimit(limit), before })
    const { entries: deliveries, next } = slicePage(found, limit)
    return { deliveries, next }
  })
}

function narrowScope(scope: Scope, repo: string | undefined): Scope {
  if (repo === undefined) return scope
  if (scope === 'all') return [repo]
  const matches = scope.filter((name) => name.toLowerCase() === repo.toLowerCase())
  if (matches.length === 0) {
    throw new RequestError('access_denied', 'Repo not connected or access denied')
  }
  return matches
}
