// Adds all routes to the server.

import { countLostSecrets, countSealsByKey } from '../accounts/sealed-secrets.ts'
import type { ServiceContext } from '../context.ts'
import type { OpenDatabase } from '../db/database.ts'
import { withTimeout } from '../db/with-timeout.ts'
import { createMcpBackend } from '../mcp/mcp-backend.ts'
import { createDeliveryIntake } from '../workflows/accept-delivery.ts'
import { createDeliveryLedger } from '../workflows/delivery-ledger.ts'
import { createAddRoute } from './add-route.ts'
import { addAnalyticsRoutes } from './analytics-routes.ts'
import { addAppRoutes } from './app-routes.ts'
import { addAuditRoutes } from './audit-routes.ts'
import { addAuthRoutes } from './auth-routes.ts'
import { createAuthenticate } from './authenticate.ts'
import { addCodeMapRoutes } from './code-map-routes.ts'
import { addDeliveryRoutes } from './delivery-routes.ts'
import { addDocsRoutes } from './docs-routes.ts'
import { addFindingRoutes } from './finding-routes.ts'
import { acceptFirstHostInNames } from './first-host-names.ts'
import { addHealthRoutes } from './health-routes.ts'
import { addInboxRoutes } from './inbox-routes.ts'
import { addLiveRoutes } from './live-routes.ts'
import { addMcpRoutes } from './mcp-routes.ts'
import { addMemoryEntryRoutes } from './memory-entry-routes.ts'
import { addMemoryOverviewRoutes } from './memory-overview-routes.ts'
import { addNotificationRoutes } from './notification-routes.ts'
import { addOutcomeRoutes } from './outcome-routes.ts'
import { addPageRoutes, pageFolder } from './page-routes.ts'
import { addPeopleRoutes } from './people-routes.ts'
import { addRepositoryHealthRoutes } from './repository-health-routes.ts'
import { addRepositoryRoutes } from './repository-routes.ts'
import { addRepositorySettingsRoutes } from './repository-settings-routes.ts'
import { addRateLimit } from './request-rate-limit.ts'
import { addReviewDiffRoutes } from './review-diff-routes.ts'
import { addReviewRoutes } from './review-routes.ts'
import { addRuleRoutes } from './rule-routes.ts'
import { addScanRoutes } from './scan-routes.ts'
import type { Server } from './server.ts'
import { addSettingsRoutes } from './settings-routes.ts'
import { addTokenRoutes } from './token-routes.ts'
import { addWebhookRoutes } from './webhook-routes.ts'

export async function addRoutes(
  server: Server,
  ctx: ServiceContext,
  database: OpenDatabase,
): Promise<void> {
  const { config, db, credentials, hosts } = ctx
  const authenticate = createAuthenticate(server, {
    db,
    credentials,
    publicUrl: config.http.publicUrl,
    config,
  })
  acceptFirstHostInNames(server, ctx)
  // The docs and the rate limit apply only to routes that are added after them.
  await addDocsRoutes(server, config.http.publicUrl)
  const signInLimits = await addRateLimit(server, authenticate, config.http)
  const addRoute = createAddRoute(server, authenticate)
  const urls = {
    publicUrl: config.http.publicUrl,
    platformUrls: config.hosts.map(({ platform }) => platform.url),
  }
  await addPageRoutes(server, urls, pageFolder)
  addHealthRoutes(addRoute, () => findReadinessProblem(ctx, database))
  const { checkSpace } = database
  for (const host of hosts.all) {
    const ledger = createDeliveryLedger({ ...host, checkSpace })
    const { webhookSecret, oldWebhookSecrets } = host.config.fallback
    await addWebhookRoutes(server, {
      platform: host.platform,
      name: host.config.platform.name,
      ledger,
      intake: createDeliveryIntake({ ...host, checkSpace, ledger }),
      enforceSignatures: config.environment === 'production',
      fallbackSecrets: [webhookSecret, ...oldWebhookSecrets].filter((secret) => secret !== null),
      metrics: ctx.metrics,
    })
  }
  addAuthRoutes(addRoute, ctx, signInLimits)
  addTokenRoutes(addRoute, ctx)
  addNotificationRoutes(addRoute, ctx)
  addAuditRoutes(addRoute, ctx)
  addPeopleRoutes(addRoute, ctx)
  await addSettingsRoutes(addRoute, ctx, { server, database })
  addRuleRoutes(addRoute, ctx)
  addAppRoutes(addRoute, ctx)
  addRepositoryRoutes(addRoute, ctx)
  addRepositorySettingsRoutes(addRoute, ctx)
  addRepositoryHealthRoutes(addRoute, ctx)
  addReviewRoutes(addRoute, ctx)
  addReviewDiffRoutes(addRoute, ctx)
  addInboxRoutes(addRoute, ctx)
  addDeliveryRoutes(addRoute, ctx)
  addFindingRoutes(addRoute, ctx)
  addMemoryOverviewRoutes(addRoute, ctx)
  addMemoryEntryRoutes(addRoute, ctx)
  addCodeMapRoutes(addRoute, ctx)
  addScanRoutes(addRoute, ctx)
  addAnalyticsRoutes(addRoute, ctx)
  addOutcomeRoutes(addRoute, ctx)
  await addLiveRoutes(addRoute, ctx, { server, database, authenticate })
  await addMcpRoutes(server, ctx, { backend: createMcpBackend(ctx), database, authenticate })
}

/** Limits the ping and the query of the readiness check separately. */
const readinessTimeoutMs = 2000

async function findReadinessProblem(
  { db, keys }: ServiceContext,
  database: OpenDatabase,
): Promise<string | null> {
  await database.ping(readinessTimeoutMs)
  const seals = await withTimeout(readinessTimeoutMs, countSealsByKey(db))
  if (seals === null) return 'the database is slow to answer'
  if (countLostSecrets(seals, keys) === 0) return null
  return 'the secret key does not open stored tokens; see umpire doctor'
}
