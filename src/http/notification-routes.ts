// Serves the channels in which people are notified. Requires the cookie: tokens are for programs.
import { listChannels } from '../accounts/notification-channels.ts'
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/notification-endpoints.ts'
import {
  confirmAddress,
  createChannel,
  removeChannel,
} from '../workflows/notifying/manage-channels.ts'
import type { AddRoute } from './add-route.ts'

export function addNotificationRoutes(addRoute: AddRoute, ctx: ServiceContext): void {
  addRoute(contract.listNotificationChannels, async ({ caller }) => ({
    email: ctx.config.notifications.mail !== null,
    channels: await listChannels(ctx.db, caller.userId),
  }))

  addRoute(contract.addNotificationChannel, ({ caller, body }) => {
    const { kind, target, repo, digest_hour: digestHour } = body
    const name = repo === null ? null : ctx.hosts.shorten(repo)
    return createChannel(ctx, caller, { kind, target, repo: name, digestHour })
  })

  addRoute(contract.confirmNotificationChannel, async ({ caller, params: { id }, body }) => {
    await confirmAddress(ctx, caller, { id, code: body.code })
    return { status: 'confirmed' as const }
  })

  addRoute(contract.removeNotificationChannel, async ({ caller, params: { id } }) => {
    await removeChannel(ctx, caller, id)
    return { status: 'removed' as const }
  })
}
