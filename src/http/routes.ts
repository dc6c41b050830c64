// Which routes there are.
import type { AppContext } from '../context.ts'
import type { OpenDatabase } from '../db/database.ts'
import { createDeliveryIntake } from '../workflows/accept-delivery.ts'
import { addAnalyticsRoutes } from './analytics-routes.ts'
import { addAuthRoutes } from './auth-routes.ts'
import { createAuthenticate } from './authenticate.ts'
import { addHealthRoutes } from './health-routes.ts'
import { addMemoryRoutes } from './memory-routes.ts'
import { addRepositoryRoutes } from './repository-routes.ts'
import type { Server } from './server.ts'
import { addWebhookRoutes } from './webhook-routes.ts'

/** Adds all routes. */
export async function addRoutes(server: Server, ctx: AppContext, database: OpenDatabase): Promise<void> {
  const { config, platform, db, wakeUps, credentials } = ctx
  const authenticate = createAuthenticate(server, { db, credentials, publicUrl: config.http.publicUrl })
  addHealthRoutes(server, { checkReady: () => database.ping(2000) })
  await addWebhookRoutes(server, {
    platform,
    intake: createDeliveryIntake({ db, source: platform.id, wakeUps }),
    enforceSignatures: config.environment === 'production',
    fallbackSecret: config.fallback.webhookSecret,
  })
  addAuthRoutes(server, ctx, authenticate)
  addRepositoryRoutes(server, ctx, authenticate)
  addMemoryRoutes(server, ctx, authenticate)
  addAnalyticsRoutes(server, ctx, authenticate)
}
