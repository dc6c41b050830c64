// A deployment of the service that can be killed and restarted: its processes and database.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import type { DatabaseConfig } from '../../src/config/config.ts'
import { type OpenDatabase, openDatabase } from '../../src/db/database.ts'
import { transactionWithRetry } from '../../src/db/transaction.ts'
import { hourMs, stepDatabaseClockBack } from '../fakes/step-database-clock-back.ts'
import { silentLog } from '../fakes/test-database.ts'
import { webhookSecret } from '../start-app.ts'
import type { Random } from './random.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

const shiftedClock = fileURLToPath(new URL('../fakes/shifted-clock.ts', import.meta.url))

/** Marks the connections of the test itself, which are not cut. */
const ownName = 'crash-test'

export const deploymentKinds = ['embedded', 'postgresql', 'postgresql-split'] as const
export type DeploymentKind = (typeof deploymentKinds)[number]

/** The process names of each kind, and the arguments of each process. */
const processArguments: Readonly<
  Record<DeploymentKind, Readonly<Record<string, readonly string[]>>>
> = {
  embedded: { all: [] },
  postgresql: { all: [] },
  'postgresql-split': {
    web: ['--no-worker'],
    'worker-1': ['--worker-only'],
    'worker-2': ['--worker-only'],
  },
}

export interface Deployment extends AsyncDisposable {
  readonly kind: DeploymentKind
  readonly names: readonly string[]
  /** The webhook's address, constant through all restarts. */
  readonly url: string
  /** Starts the processes that aren't running. */
  start(): void
  /** Resolves when all running processes are ready. */
  ready(): Promise<void>
  /** The names of the processes whose log shows a review under way. */
  busy(): string[]
  /** Sends SIGKILL. */
  kill(names: readonly string[]): Promise<void>
  /** Stops the running processes gracefully. */
  stop(): Promise<void>
  /** Sets the database's clock back by an hour; on the embedded one at the next start. */
  stepClockBack(): Promise<void>
  /** Ends one database connection of the service, preferably in the middle of a transaction. */
  cutConnection(random: Random): Promise<void>
  /** Opens the database. Except on a server, the service must be stopped. */
  openDatabase(): Promise<OpenDatabase>
  /** The newest lines of all logs. */
  log(): string
}

/**
 * Creates a deployment with its own database, without starting it. `server` is the address of a
 * PostgreSQL server's maintenance database, for the kinds that need one.
 */
export async function createDeployment(
  kind: DeploymentKind,
  options: { environment: Record<string, string>; server: string | null },
): Promise<Deployment> {
  const directory = mkdtempSync(join(tmpdir(), 'umpire-crash-'))
  const port = await findPort()
  const config: DatabaseConfig =
    kind === 'embedded'
      ? { engine: 'embedded', directory: join(directory, 'data', 'database') }
      : { engine: 'postgresql', url: await createDatabase(options.server!), poolSize: 4 }
  const environment = {
    PATH: process.env.PATH ?? '',
    APP_ENV: 'production',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATA_DIR: join(directory, 'data'),
    // Restarts share the compile cache.
    NODE_COMPILE_CACHE: join(directory, 'compiled'),
    LOG_LEVEL: 'info',
    WEBHOOK_SECRET: webhookSecret,
    SECRET_KEY: 'a key for all processes of the crash tests',
    SHUTDOWN_GRACE_SECONDS: '20',
    // A short lease lets another worker take over a dead worker's review soon; many attempts allow
    // many failures.
    REVIEW_LEASE_SECONDS: '2',
    REVIEW_RETRY_SECONDS: '0',
    REVIEW_MAX_ATTEMPTS: '20',
    NODE_OPTIONS: `--import ${shiftedClock}`,
    ...(config.engine === 'postgresql' ? { DATABASE_URL: config.url } : {}),
    ...options.environment,
  }
  const processes = new Map<string, ServiceProcess>()
  const killed: ServiceProcess[] = []
  let clockShiftMs = 0
  return {
    kind,
    names: Object.keys(processArguments[kind]),
    url: `http://127.0.0.1:${port}`,
    start() {
      for (const [name, args] of Object.entries(processArguments[kind])) {
        const withClock = { ...environment, CLOCK_SHIFT_MS: String(clockShiftMs) }
        if (!processes.has(name))
          processes.set(name, startServiceProcess({ args, environment: withClock, directory }))
      }
    },
    async ready() {
      await Promise.all([...processes.values()].map((one) => one.ready()))
    },
    busy: () => [...processes].filter(([, one]) => one.running.size > 0).map(([name]) => name),
    async kill(names) {
      const victims = names.flatMap((name) => processes.get(name) ?? [])
      for (const name of names) processes.delete(name)
      await Promise.all(victims.map((victim) => victim.kill()))
      killed.push(...victims)
    },
    async stop() {
      const all = [...processes.values()]
      processes.clear()
      killed.push(...all)
      await Promise.all(all.map((one) => one.stop()))
    },
    async stepClockBack() {
      if (config.engine === 'embedded') {
        clockShiftMs -= hourMs
        return
      }
      await using database = await openDatabase(withOwnName(config), silentLog)
      const { rows } = await sql<{ isThere: boolean }>`
        select to_regclass('events') is not null as "isThere"`.execute(database.db)
      // A service that was killed during its first start may have created no tables yet.
      if (rows[0]!.isThere) await transactionWithRetry(database.db, stepDatabaseClockBack)
    },
    async cutConnection(random) {
      // A process that starts without its database ends, and its supervisor restarts it.
      if (config.engine === 'embedded' || [...processes.values()].some((one) => !one.isReady))
        return
      await using maintenance = await openDatabase(
        { engine: 'postgresql', url: options.server!, poolSize: 1 },
        silentLog,
      )
      const { rows } = await sql<{ pid: number; busy: boolean }>`
        select pid, state <> 'idle' as busy from pg_stat_activity
        where datname = ${new URL(config.url).pathname.slice(1)}
          and application_name <> ${ownName}`.execute(maintenance.db)
      const busy = rows.filter((row) => row.busy)
      if (rows.length === 0) return
      const { pid } = random.pick(busy.length > 0 ? busy : rows)
      await sql`select pg_terminate_backend(${pid})`.execute(maintenance.db)
    },
    openDatabase: () => openDatabase(withOwnName(config), silentLog),
    log: () =>
      [...killed.slice(-6), ...processes.values()].flatMap((one) => one.log.slice(-40)).join('\n'),
    async [Symbol.asyncDispose]() {
      await Promise.all([...processes.values()].map((one) => one.kill()))
      rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

function withOwnName(config: DatabaseConfig): DatabaseConfig {
  if (config.engine === 'embedded') return config
  const url = new URL(config.url)
  url.searchParams.set('application_name', ownName)
  return { ...config, url: url.href }
}

/** Returns a free port below the ephemeral range, so that it stays free through restarts. */
async function findPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    const probe = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => probe.close(resolve))
    return port
  }
}

async function createDatabase(server: string): Promise<string> {
  const name = `crash_${Math.random().toString(36).slice(2)}`
  await using maintenance = await openDatabase(
    { engine: 'postgresql', url: server, poolSize: 1 },
    silentLog,
  )
  await sql`create database ${sql.id(name)}`.execute(maintenance.db)
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
