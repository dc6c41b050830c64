// Adds the endpoint that lists the audit log.
import { listAudit } from '../accounts/audit.ts'
import type { AppContext } from '../context.ts'
import * as contract from '../contract/audit-schemas.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import type { Server } from './server.ts'
import { fetchLimit, slicePage } from './slice-page.ts'

/** Adds `GET /api/v1/audit`. */
export function addAuditRoutes(
  server: Server,
  ctx: AppContext,
  { either: onRequest }: Authenticate,
): void {
  server.get('/api/v1/audit', { schema: contract.listAuditSchema, onRequest }, async (request) => {
    const { limit, before } = request.query
    const found = await listAudit(ctx.db, callerOf(request), { before, limit: fetchLimit(limit) })
    const { entries, next } = slicePage(found, limit)
    return {
      entries: entries.map(({ createdAt, ...entry }) => ({ ...entry, created_at: createdAt })),
      next,
    }
  })
}
