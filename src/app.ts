// The composition root: the only place that chooses implementations.
import type { AddressInfo } from 'node:net'
import { authenticateBearer } from './accounts/authenticate-bearer.ts'
import { createCredentials } from './accounts/credentials.ts'
import { readApp } from './accounts/platform-apps.ts'
import { endAllReservations } from './accounts/reservations.ts'
import { countLostSecrets, countSealsByKey, resealSecrets } from './accounts/sealed-secrets.ts'
import { ensureStoredHosts } from './accounts/stored-hosts.ts'
import { addToolPin, readToolPins } from './accounts/tool-pins.ts'
import { ensureDataFolder } from './config/data-folder.ts'
import { readSecretKey } from './config/secret-key.ts'
import type { AppContext, Config, ServiceContext } from './context.ts'
import { type OpenDatabase, openDatabase } from './db/database.ts'
import { runMigrations } from './db/run-migrations.ts'
import { ConfigError } from './domain/errors.ts'
import { isLoopback } from './git/clone-address.ts'
import { pruneMirrors } from './git/prune-mirrors.ts'
import { gitRuntimeFrom } from './git/run-git.ts'
import { createHosts } from './host-contexts.ts'
import { controlSocketPath } from './http/control-endpoints.ts'
import { startControlServer } from './http/control-server.ts'
import { createServer } from './http/create-server.ts'
import { startMetricsServer } from './http/metrics-server.ts'
import { addRoutes } from './http/routes.ts'
import type { Server } from './http/server.ts'
import { createCodeCache } from './knowledge/change/create-code-cache.ts'
import { createKeyRing } from './lib/key-ring.ts'
import { createLogger, type Log } from './lib/logger.ts'
import { createProgramSpawner } from './lib/program-spawner.ts'
import { createFairSemaphore } from './lib/semaphore.ts'
import { createMcpBackend } from './mcp/mcp-backend.ts'
import { type Metrics, noMetrics } from './metrics/metrics.ts'
import type { Prometheus } from './metrics/prometheus.ts'
import type { Embedder } from './models/embedder.ts'
import type { Models } from './models/model.ts'
import { hostVariable } from './platforms/code-hosts.ts'
import { listSecrets } from './read-config.ts'
import { createReviewContext } from './review-context.ts'
import { createContextSources } from './tools/sources/context-sources.ts'
import { registerQueueMetrics } from './work/register-queue-metrics.ts'
import { createWritePacer } from './work/write-budgets.ts'
import { startWorker } from './worker/start-worker.ts'
import { createControl } from './workflows/control.ts'
import { isMcpOpenToOthers } from './workflows/diagnose/check-mcp.ts'
import { isSignInOpenToOthers } from './workflows/diagnose/check-platform.ts'
import { mirrorDirectory } from './workflows/gathering/fetch-change-commits.ts'

const maxMirrorBytes = 5 * 1024 ** 3
/**
 * Most reviews in flight wait for a model; only those that fetch and read keep the machine busy.
 */
const maxConcurrentGathers = 16
/** A thousand changes of usual size fit, or six changes of 2,500 files. */
const maxChangeBytes = 256 * 1024 ** 2

/** A running Umpire; disposing of it stops it gracefully. */
export interface App extends AsyncDisposable {
  /** The address on which it listens; null for a worker without the web part. */
  readonly url: string | null
  /** The address that Prometheus scrapes; null when metrics are off. */
  readonly metricsUrl: string | null
  /** It is the context of the first code host. */
  readonly context: AppContext
  /** Resolves with an error that only a restart of the process can fix. */
  readonly broken: Promise<Error>
}

/** Opens the database and runs the missing migrations. */
export async function openMigratedDatabase(
  config: Config,
  log: Log,
  metrics: Metrics = noMetrics,
): Promise<OpenDatabase> {
  if (config.database.engine === 'embedded') await ensureDataFolder(config.dataDir)
  const database = await openDatabase(config.database, log, { metrics })
  try {
    await runMigrations(database, log)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Returns the configuration with the secret key, which is generated if there is none. */
export async function completeConfig(config: Config): Promise<Config> {
  return { ...config, secrets: { ...config.secrets, current: await readSecretKey(config) } }
}

/** Starts the web part, the worker, or both. Throws UmpireError, whose message says what to do. */
export async function startApp(
  initialConfig: Config,
  roles: { web: boolean; worker: boolean },
): Promise<App> {
  await using stack = new AsyncDisposableStack()
  await ensureDataFolder(initialConfig.dataDir)
  const config = await completeConfig(initialConfig)
  const secrets = listSecrets(config)
  const log = createLogger({ level: config.log.level, secrets })
  const prometheus = config.metrics && stack.use(await loadPrometheus())
  const metrics = prometheus?.metrics ?? noMetrics
  const database = stack.use(await openMigratedDatabase(config, log, metrics))
  await ensureStoredHosts(database.db, config.hosts)
  const review = stack.use(await createReviewContext(config, log, { metrics, secrets }))
  warnAboutConfiguration(config, review.models, log)
  if (roles.web) warnAboutOpenAccess(config, log)
  const keys = createKeyRing(config.secrets.current as string, config.secrets.old, (revealed) =>
    secrets.push(...new Set(revealed).difference(new Set(secrets))),
  )
  const sources = stack.use(
    createContextSources(config.contextSources, {
      log,
      environment: config.childEnvironment,
      secrets: review.secrets,
      pins: {
        read: (source) => readToolPins(database.db, source),
        add: (source, tool, fingerprint) => addToolPin(database.db, source, tool, fingerprint),
      },
    }),
  )
  const writePacer = createWritePacer({ db: database.db, log }, config.writeLimits)
  const shared = {
    ...review,
    db: database.db,
    keys,
    credentials: createCredentials(keys, config.http.publicUrl),
    embedder: await loadEmbedder(config, metrics),
    gatherSemaphore: createFairSemaphore(maxConcurrentGathers),
    changeMemory: createFairSemaphore(maxChangeBytes),
    sources,
    codeCache: createCodeCache(),
    gitRuntime: {
      ...gitRuntimeFrom(config.childEnvironment),
      spawn: stack.use(createProgramSpawner(config.dataDir)).spawn,
      metrics,
    },
    metrics,
  }
  const hosts = createHosts(shared, config, writePacer)
  const ctx: ServiceContext = { ...shared, config, hosts }
  let metricsUrl: string | null = null
  if (config.metrics && prometheus) {
    registerQueueMetrics(ctx.db, metrics)
    const { address } = stack.use(await startMetricsServer(config.metrics, prometheus, log))
    metricsUrl = `${addressOf(address)}/metrics`
    log.info({ url: metricsUrl }, 'Metrics are served')
  }
  await resealSecrets(ctx.db, keys)
  // From here on, its secrets are redacted.
  for (const { platform } of hosts.all) await readApp(ctx.db, keys, platform.id)
  await warnAboutLostKey(ctx)
  // No other process can have the database open, so the holders of reservations are gone.
  if (database.exclusive) await endAllReservations(ctx.db)
  if (database.exclusive) {
    const control = createControl(ctx, database)
    const mcp = {
      backend: createMcpBackend(ctx),
      findCaller: (token: string) => authenticateBearer(ctx, token),
    }
    stack.use(
      await startControlServer({ path: controlSocketPath(config.dataDir), control, mcp, log }),
    )
  }
  let url: string | null = null
  if (roles.web) {
    const server = await createServer(log, config.http.trustedProxies)
    stack.defer(() => server.close())
    await addRoutes(server, ctx, database)
    await listen(server, config.http)
    url = addressOf(server.server.address() as AddressInfo)
    log.info({ url, public_url: config.http.publicUrl }, 'Umpire listens')
  }
  if (roles.worker) {
    stack.use(startMirrorPruning(config, log))
    const worker = await startWorker(ctx, database)
    stack.defer(() => worker.stop())
  }
  const running = stack.move()
  return {
    url,
    metricsUrl,
    context: hosts.first,
    broken: database.broken,
    async [Symbol.asyncDispose]() {
      await running.disposeAsync()
      log.info({}, 'Umpire stopped')
    },
  }
}

/** Model clients load slowly, so they are imported only when an embedder is configured. */
async function loadEmbedder(
  { models, memory }: Config,
  metrics: Metrics,
): Promise<Embedder | null> {
  if (models.embedder === null || !memory) return null
  const { createEmbedder } = await import('./models/index.ts')
  return createEmbedder(models.embedder, {}, metrics)
}

/** The client library is imported only when metrics are on. */
async function loadPrometheus(): Promise<Prometheus> {
  const { createPrometheus } = await import('./metrics/prometheus.ts')
  return createPrometheus()
}

/** Deletes the least recently used git mirrors every hour until the others fit the limit. */
function startMirrorPruning(config: Config, log: Log): Disposable {
  const prune = () =>
    pruneMirrors(mirrorDirectory(config), maxMirrorBytes).catch((error) =>
      log.warn({ err: error }, 'The git mirrors could not be pruned'),
    )
  const timer = setInterval(prune, 3_600_000)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<void> {
  try {
    await server.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError(
      `Can't listen on ${host}, port ${port} (${code}): choose others with HOST and PORT.`,
    )
  }
}

function addressOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** Logs settings that are valid but probably unintended. */
function warnAboutConfiguration(config: Config, models: Models, log: Log): void {
  for (const { platform, fallback } of config.hosts) {
    if (config.environment === 'production' && fallback.webhookSecret === null) {
      const variable = hostVariable('WEBHOOK_SECRET', platform)
      log.warn(
        {},
        `${variable} is not set: deliveries of unconnected repositories are accepted unsigned`,
      )
    }
    if (fallback.token === null) {
      const variable = hostVariable('PLATFORM_TOKEN', platform)
      log.warn(
        {},
        `${variable} is not set: pull requests of unconnected repositories are not reviewed`,
      )
    }
  }
  if (config.metrics && !isLoopback(config.metrics.host)) {
    log.warn(
      {},
      'METRICS_HOST is not on loopback: anyone who can connect to it can read the metrics',
    )
  }
  const hasBudget = Object.values(config.models.budget).some((limit) => limit !== null)
  if (models.main === null)
    log.info({}, 'No MODEL is set: the built-in static reviewer works alone')
  else if (hasBudget && !models.main.priced) {
    log.warn(
      { model: models.main.name },
      'The price of this model is unknown: the budget in US dollars cannot limit it',
    )
  }
}

/** A lost key file is silently replaced by a new key, which can't decrypt the stored tokens. */
async function warnAboutLostKey({
  db,
  keys,
  log,
}: Pick<ServiceContext, 'db' | 'keys' | 'log'>): Promise<void> {
  const lostTokens = countLostSecrets(await countSealsByKey(db), keys)
  const message =
    'Stored tokens were encrypted with another secret key: restore that key, or run umpire doctor'
  if (lostTokens > 0) log.warn({ tokens: lostTokens }, message)
}

/** Logs settings that open the service to anyone who can connect to it. */
function warnAboutOpenAccess(config: Config, log: Log): void {
  if (isMcpOpenToOthers(config)) {
    log.warn(
      {},
      'MCP_ACCESS is open: anyone who can connect can query the MCP server about every repository',
    )
  }
  if (isSignInOpenToOthers(config)) {
    log.warn(
      {},
      'SIGN_IN_ALLOWED is not set: anyone with an account on the platform may sign in; ' +
        'the first to sign in becomes the administrator',
    )
  }
}
