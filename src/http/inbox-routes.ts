// Serves the inbox: pull requests by what people have to do about them, and their counts.
import { findScope } from '../accounts/scope.ts'
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/inbox-endpoints.ts'
import { countInbox } from '../events/list-inbox.ts'
import { showInbox } from '../workflows/showing/show-inbox.ts'
import type { AddRoute } from './add-route.ts'
import { readEnds, startPlatformDeadline } from './review-routes.ts'
import { fetchLimit, slicePage } from './slice-page.ts'

export function addInboxRoutes(addRoute: AddRoute, ctx: ServiceContext): void {
  addRoute(contract.listInbox, async ({ caller, query }, reply) => {
    const { limit, before, ...filter } = query
    const page = { limit: fetchLimit(limit), before }
    const found = await showInbox(ctx, caller, filter, page, startPlatformDeadline(reply))
    const { entries, next } = slicePage(found, limit)
    return {
      entries: entries.map(({ decision, ...entry }) => ({ ...entry, ends: readEnds(decision) })),
      next,
    }
  })

  addRoute(contract.countInbox, async ({ caller, query }) =>
    countInbox(ctx.db, await findScope(ctx.db, caller), query),
  )
}
