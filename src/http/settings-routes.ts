// Adds the endpoints that show the settings, check context sources and run the setup checks.
import type { AppContext, ServiceContext } from '../context.ts'
import * as contract from '../contract/settings-endpoints.ts'
import type { OpenDatabase } from '../db/database.ts'
import { RequestError } from '../domain/errors.ts'
import { readPackageInfo } from '../lib/package-info.ts'
import { type CachedValue, createTtlCache } from '../lib/ttl-cache.ts'
import { findApplication } from '../workflows/connecting/find-application.ts'
import type { CheckResult } from '../workflows/diagnose/check.ts'
import { readDatabaseFacts } from '../workflows/diagnose/database-facts.ts'
import { diagnose } from '../workflows/diagnose/diagnose.ts'
import { describeApp } from '../workflows/register-app.ts'
import type { AddRoute } from './add-route.ts'
import type { Server } from './server.ts'

/** The cache bounds the requests that are sent to the servers of third parties. */
const sourceHealthCacheMs = 30_000
/** Each run of the checks sends a request to the configured models, which costs money. */
const checksCacheMs = 60_000

type SourceFailures = readonly (string | null)[]

export async function addSettingsRoutes(
  addRoute: AddRoute,
  ctx: ServiceContext,
  { server, database }: { server: Server; database: OpenDatabase },
): Promise<void> {
  const settings = describeSettings(ctx, (await readPackageInfo()).version)
  addRoute(contract.showSettings, async () => {
    const platforms = await Promise.all(ctx.hosts.all.map(describeHost))
    const [platform, ...furtherPlatforms] = platforms as [HostSummary, ...HostSummary[]]
    return { ...settings, platform, furtherPlatforms }
  })

  const getCachedFailures = createTtlCache<SourceFailures>(1)
  addRoute(contract.checkSources, async () => {
    const failures = await getCachedFailures('all', () => checkSources(ctx))
    const sources = settings.sources.map((source, index) => {
      return { ...source, fault: failures[index] ?? null }
    })
    return { sources }
  })

  const closing = new AbortController()
  server.addHook('preClose', async () => closing.abort())
  const getCachedChecks = createTtlCache<Checks>(1)
  addRoute(contract.runChecks, async ({ caller }) => {
    if (!caller.isAdmin) throw new RequestError('access_denied', 'For administrators only')
    // A changed App is checked at once: people watch the results while they set it up.
    const described = ctx.hosts.all.map((host) => describeApp(host, caller))
    const app = JSON.stringify(await Promise.all(described))
    const { results, checkedAt } = await getCachedChecks(app, () =>
      runAllChecks(ctx, database, closing.signal),
    )
    const checks = results.map((check) => ({ ...check, remedy: check.remedy ?? null }))
    return { checks, checkedAt }
  })
}

interface Checks {
  readonly results: readonly CheckResult[]
  readonly checkedAt: Date
}

/** Runs the checks of `umpire doctor`. Each check has its own deadline. */
async function runAllChecks(
  ctx: ServiceContext,
  database: OpenDatabase,
  signal: AbortSignal,
): Promise<CachedValue<Checks>> {
  const { hosts, secrets } = ctx
  const readDatabase = async () => ({
    facts: await readDatabaseFacts(database),
    heldBy: process.pid,
  })
  const platforms = hosts.all.map(({ platform }) => platform)
  const setup = { config: hosts.first.config, platforms, readDatabase }
  const results = await diagnose(setup, secrets, signal)
  return { value: { results, checkedAt: new Date() }, ttlMs: checksCacheMs }
}

async function checkSources({
  config,
  sources,
}: ServiceContext): Promise<CachedValue<SourceFailures>> {
  // Each source has its own deadline, so this signal is never aborted.
  const { signal } = new AbortController()
  const value = await Promise.all(
    config.contextSources.map(({ name }) => sources.check(name, signal)),
  )
  return { value, ttlMs: sourceHealthCacheMs }
}

function describeSettings({ config, models, embedder }: ServiceContext, version: string) {
  const { review, mcp, http } = config
  return {
    serviceName: config.serviceName,
    version,
    publicUrl: http.publicUrl,
    signInLimited: config.signInAllowed !== null,
    models: { main: models.main, fast: models.fast, embedder, budget: config.models.budget },
    review: { ...review, mode: models.main === null ? ('static' as const) : review.mode },
    memory: config.memory,
    graph: config.graph.enabled,
    mcp,
    sources: config.contextSources,
  }
}

type HostSummary = Awaited<ReturnType<typeof describeHost>>

async function describeHost(host: AppContext) {
  const { platform, fallback } = host.config
  return {
    id: platform.id,
    name: host.platform.terms.platform,
    url: platform.url,
    token: fallback.token !== null,
    oauth: (await findApplication(host)) !== undefined,
  }
}
