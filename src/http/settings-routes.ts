// Adds the endpoints that show the settings, check context sources and run the setup checks.
import type { AppContext } from '../context.ts'
import * as contract from '../contract/settings-schemas.ts'
import type { OpenDatabase } from '../db/database.ts'
import { RequestError } from '../domain/errors.ts'
import { readPackageInfo } from '../lib/package-info.ts'
import { type CachedValue, createTtlCache } from '../lib/ttl-cache.ts'
import type { CheckResult } from '../workflows/diagnose/check.ts'
import { readDatabaseFacts } from '../workflows/diagnose/database-facts.ts'
import { diagnose } from '../workflows/diagnose/diagnose.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import type { Server } from './server.ts'

/** The cache bounds the requests that are sent to the servers of third parties. */
const sourceHealthCacheMs = 30_000
/** Each run of the checks sends a request to the configured models, which costs money. */
const checksCacheMs = 60_000

type SourceFailures = readonly (string | null)[]

/** Adds `GET /api/v1/settings`, `…/sources` and `…/checks`. */
export async function addSettingsRoutes(
  server: Server,
  ctx: AppContext,
  { database, authenticate }: { database: OpenDatabase; authenticate: Authenticate },
): Promise<void> {
  const { either: onRequest } = authenticate
  const settings = describeSettings(ctx, (await readPackageInfo()).version)
  server.get(
    '/api/v1/settings',
    { schema: contract.showSettingsSchema, onRequest },
    async () => settings,
  )

  const getCachedFailures = createTtlCache<SourceFailures>(1)
  server.get(
    '/api/v1/settings/sources',
    { schema: contract.checkSourcesSchema, onRequest },
    async () => {
      const failures = await getCachedFailures('all', () => checkSources(ctx))
      return {
        sources: settings.sources.map((source, index) => ({
          ...source,
          fault: failures[index] ?? null,
        })),
      }
    },
  )

  const closing = new AbortController()
  server.addHook('preClose', async () => closing.abort())
  const getCachedChecks = createTtlCache<Checks>(1)
  server.get(
    '/api/v1/settings/checks',
    { schema: contract.runChecksSchema, onRequest },
    async (request) => {
      if (!callerOf(request).isAdmin) {
        throw new RequestError('access_denied', 'For administrators only')
      }
      const { results, checkedAt } = await getCachedChecks('all', () =>
        runAllChecks(ctx, database, closing.signal),
      )
      const checks = results.map(({ name, state, message, remedy = null }) => ({
        name,
        state,
        message,
        remedy,
      }))
      return { checks, checked_at: checkedAt }
    },
  )
}

interface Checks {
  readonly results: readonly CheckResult[]
  readonly checkedAt: Date
}

/** Runs the checks of `umpire doctor`. Each check has its own deadline. */
async function runAllChecks(
  ctx: AppContext,
  database: OpenDatabase,
  signal: AbortSignal,
): Promise<CachedValue<Checks>> {
  const { config, platform, secrets } = ctx
  const readDatabase = async () => ({
    facts: await readDatabaseFacts(database),
    heldBy: process.pid,
  })
  const results = await diagnose({ config, platform, readDatabase }, secrets, signal)
  return { value: { results, checkedAt: new Date() }, ttlMs: checksCacheMs }
}

async function checkSources({ config, sources }: AppContext): Promise<CachedValue<SourceFailures>> {
  // Each source has its own deadline, so this signal is never aborted.
  const { signal } = new AbortController()
  const value = await Promise.all(
    config.contextSources.map(({ name }) => sources.check(name, signal)),
  )
  return { value, ttlMs: sourceHealthCacheMs }
}

function describeSettings({ config, models, embedder }: AppContext, version: string) {
  const { platform, review, mcp, http, contextSources } = config
  const { perReviewUsd, perDayUsd, perOwnerDayUsd } = config.models.budget
  return {
    service_name: config.serviceName,
    version,
    public_url: http.publicUrl,
    platform: {
      id: platform.id,
      url: platform.url,
      oauth: platform.oauth !== null,
      token: config.fallback.token !== null,
    },
    sign_in_limited: config.signInAllowed !== null,
    models: {
      main: describeModel(models.main),
      fast: describeModel(models.fast),
      embedder: describeModel(embedder),
      budget: {
        per_review_usd: perReviewUsd,
        per_day_usd: perDayUsd,
        per_owner_day_usd: perOwnerDayUsd,
      },
    },
    review: {
      mode: models.main === null ? ('static' as const) : review.mode,
      max_inline_comments: review.maxInlineComments,
      context_tokens: review.contextTokens,
      concurrency: review.concurrency,
    },
    memory: config.memory,
    graph: config.graph.enabled,
    mcp: { access: mcp.access, agent_tools: mcp.agentTools },
    sources: contextSources.map(({ name, kind }) => ({ name, kind })),
  }
}

function describeModel(model: { readonly name: string; readonly priced: boolean } | null) {
  return model === null ? null : { name: model.name, priced: model.priced }
}
