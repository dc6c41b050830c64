// Adds the endpoint that lists deliveries and their results.
import { findScope, type Scope } from '../accounts/scope.ts'
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/review-endpoints.ts'
import { RequestError } from '../domain/errors.ts'
import { listDeliveries } from '../events/list-deliveries.ts'
import { listUnusedDeliveries } from '../events/unused-deliveries.ts'
import type { AddRoute } from './add-route.ts'
import { fetchLimit, slicePage } from './slice-page.ts'

export function addDeliveryRoutes(addRoute: AddRoute, { db }: ServiceContext): void {
  addRoute(contract.listDeliveries, async ({ caller, query }) => {
    const { repo, status, limit, before } = query
    const scope = narrowScope(await findScope(db, caller), repo)
    const page = { scope, limit: fetchLimit(limit), before }
    const found =
      status === 'unused'
        ? await listUnusedDeliveries(db, page)
        : await listDeliveries(db, { ...page, status })
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
