// The deliveries and what became of each.
import { findScope, type Scope } from '../accounts/scope.ts'
import type { AppContext } from '../context.ts'
import { RequestError } from '../domain/errors.ts'
import { listDeliveries } from '../events/list-deliveries.ts'
import { toStorable } from '../lib/text.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import * as contract from './contract/reviews.ts'
import type { Server } from './server.ts'

/** Adds `GET /api/v1/deliveries`. */
export function addDeliveryRoutes(server: Server, ctx: AppContext, authenticate: Authenticate): void {
  const route = { schema: contract.listDeliveries, onRequest: authenticate.either }
  server.get('/api/v1/deliveries', route, async (request) => {
    const { repo, status, limit, before } = request.query
    const scope = narrowScope(await findScope(ctx.db, callerOf(request)), repo)
    const found = await listDeliveries(ctx.db, { scope, status, limit: limit + 1, before })
    const deliveries = found.slice(0, limit)
    return { deliveries, next: found.length > limit ? (deliveries.at(-1)?.id ?? null) : null }
  })
}

function narrowScope(scope: Scope, repo: string | undefined): Scope {
  if (repo === undefined) return scope
  if (scope === 'all') return [toStorable(repo)]
  const named = scope.filter((name) => name.toLowerCase() === repo.toLowerCase())
  if (named.length === 0) throw new RequestError('access_denied', 'Repo not connected or access denied')
  return named
}
