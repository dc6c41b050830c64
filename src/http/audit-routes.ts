// Adds the endpoint that lists the audit log.
import { listAudit } from '../accounts/audit.ts'
import { findScope } from '../accounts/scope.ts'
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/audit-endpoints.ts'
import type { AddRoute } from './add-route.ts'
import { fetchLimit, slicePage } from './slice-page.ts'

export function addAuditRoutes(addRoute: AddRoute, { db }: ServiceContext): void {
  addRoute(contract.listAudit, async ({ caller, query: { limit, before } }) => {
    const scope = await findScope(db, caller)
    const found = await listAudit(db, caller, { scope, before, limit: fetchLimit(limit) })
    return slicePage(found, limit)
  })
}
