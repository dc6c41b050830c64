// Serves the endpoints that create, show, change and remove the App of this service.
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/app-endpoints.ts'
import { RequestError } from '../domain/errors.ts'
import { rotateAppWebhookSecret } from '../workflows/connecting/rotate-webhook-secrets.ts'
import {
  describeApp,
  finishAppRegistration,
  removeApp,
  startAppRegistration,
} from '../workflows/register-app.ts'
import type { AddRoute } from './add-route.ts'
import { findHost } from './find-host.ts'

export function addAppRoutes(addRoute: AddRoute, ctx: ServiceContext): void {
  const settingsPath = new URL(`${ctx.config.http.publicUrl}/settings`).pathname

  addRoute(contract.showApp, ({ caller, query }) => describeApp(findHost(ctx, query.host), caller))

  addRoute(contract.startAppRegistration, ({ caller, body, query }) =>
    startAppRegistration(findHost(ctx, query.host), caller, body.organization),
  )

  addRoute(contract.finishAppRegistration, async (request, reply) => {
    try {
      await finishAppRegistration(ctx, request.caller, request.query)
      return reply.redirect(`${settingsPath}?tab=set-up&app=created`)
    } catch (error) {
      const isBrowser = request.headers.accept?.includes('text/html')
      if (!(error instanceof RequestError) || !isBrowser) throw error
      // The page gets only a code, so that a crafted link can't make it show other text.
      return reply.redirect(`${settingsPath}?tab=set-up&app=${error.code}`)
    }
  })

  addRoute(contract.rotateAppWebhookSecret, async ({ caller, body, query }) => {
    await rotateAppWebhookSecret(findHost(ctx, query.host), caller, body.leaked)
    return { status: 'rotated' as const }
  })

  addRoute(contract.removeApp, async ({ caller, query }) => {
    await removeApp(findHost(ctx, query.host), caller)
    return { status: 'removed' as const }
  })
}
