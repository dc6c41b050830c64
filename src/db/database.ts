// Opens the embedded database or a PostgreSQL server, with the same interface for both.
import {
  CamelCasePlugin,
  type ConnectionProvider,
  DefaultConnectionProvider,
  DefaultQueryExecutor,
  Kysely,
  PostgresDialect,
  type PostgresPool,
} from 'kysely'
import type { DatabaseConfig } from '../config/config.ts'
import { noMetrics } from '../metrics/metrics.ts'
import { UmpireDatabaseError } from './database-errors.ts'
import { type EmbeddedDatabase, openEmbedded } from './embedded/embedded-database.ts'
import { startMaintenance } from './embedded/maintenance.ts'
import { createNestingGuard, type NestingGuard } from './nesting-guard.ts'
import { kyselyPool, Listener, openPool } from './postgresql.ts'
import type { Schema } from './schema.ts'
import { type DatabaseMetrics, timePool } from './time-statements.ts'

export { hasDatabase } from './embedded/database-folder.ts'
export type { DatabaseConfig }

export type Db = Kysely<Schema>

/** The methods of a logger that the database uses. They are compatible with pino. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

interface ListenHandle {
  close(): Promise<void>
}

export interface OpenDatabase extends AsyncDisposable {
  readonly db: Db
  readonly engine: DatabaseConfig['engine']
  /** Whether no other process can have it open. */
  readonly exclusive: boolean
  /**
   * Calls `onNotification` with the payload of each NOTIFY on a channel. Calls `onReconnect` now,
   * and after each interruption in which notifications may have been lost.
   */
  listen(
    channel: string,
    onNotification: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<ListenHandle>
  /**
   * Resolves when the embedded engine broke and the process must be restarted. Servers reconnect.
   */
  readonly broken: Promise<UmpireDatabaseError>
  /**
   * @throws UmpireDatabaseError `database_disk_full` when the embedded database has too little
   * space
   */
  checkSpace(): void
  /** Resolves when the database responds; rejects after `timeoutMs` at the latest. */
  ping(timeoutMs: number): Promise<void>
  /** Waits for running statements, then closes all connections. */
  close(): Promise<void>
}

interface DatabaseOptions {
  readonly metrics?: DatabaseMetrics
  /** How long a PostgreSQL server may take to respond, in milliseconds. */
  readonly answerTimeoutMs?: number
}

/**
 * Opens the database. Both engines return the same JavaScript values: see `parserOf` in
 * sql-values.ts. A query outside of an open transaction of the same async flow fails with
 * `database_nested`, because on the embedded engine's only connection it would wait for itself.
 *
 * @throws UmpireDatabaseError with a message that says what to do
 */
export async function openDatabase(
  config: DatabaseConfig,
  log: Log,
  { metrics = noMetrics, answerTimeoutMs: answerMs }: DatabaseOptions = {},
): Promise<OpenDatabase> {
  if (config.engine === 'embedded') return openEmbeddedDatabase(config.directory, log, metrics)
  return openServer(config, log, metrics, answerMs)
}

async function openEmbeddedDatabase(
  directory: string,
  log: Log,
  metrics: DatabaseMetrics,
): Promise<OpenDatabase> {
  const database = await openEmbedded(directory)
  const guard = createNestingGuard()
  const stopMaintenance = startMaintenance(database, log)
  const listen: OpenDatabase['listen'] = async (channel, onNotification, onReconnect) => {
    guard.check()
    const listening = await database.listen(channel, onNotification)
    onReconnect()
    return listening
  }
  const close = async () => {
    // In parallel, because maintenance may wait for a statement that only `close` interrupts.
    await Promise.all([stopMaintenance(), database.close()])
  }
  return {
    db: await createKysely(timePool(embeddedPool(database), metrics), guard),
    engine: 'embedded',
    exclusive: true,
    listen,
    broken: database.broken,
    checkSpace: () => database.checkSpace(),
    ping: async (timeoutMs) => {
      database.checkSpace()
      await withDeadline(database.query('select 1'), timeoutMs)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function openServer(
  config: DatabaseConfig & { engine: 'postgresql' },
  log: Log,
  metrics: DatabaseMetrics,
  answerMs: number | undefined,
): Promise<OpenDatabase> {
  const pool = await openPool(config.url, config.poolSize, log, answerMs)
  const listener = new Listener(config.url, log)
  const guard = createNestingGuard()
  const listen: OpenDatabase['listen'] = (channel, onNotification, onReconnect) =>
    listener.listen(channel, { onNotification, onReconnect })
  let closing: Promise<unknown> | null = null
  const close = async () => {
    closing ??= Promise.all([listener.close(), pool.end()])
    await closing
  }
  return {
    db: await createKysely(timePool(kyselyPool(pool) as unknown as PostgresPool, metrics), guard),
    engine: 'postgresql',
    exclusive: false,
    listen,
    broken: new Promise(() => {}),
    checkSpace: () => {},
    ping: (timeoutMs) => withDeadline(pool.query('select 1'), timeoutMs),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Makes the embedded database look like a pool with one connection. */
function embeddedPool(database: EmbeddedDatabase): PostgresPool {
  const pool = { options: {}, end: async () => {}, connect: () => database.connect() }
  return pool as unknown as PostgresPool
}

/** Builds Kysely from its parts, because its connections must be wrapped by the guard. */
async function createKysely(pool: PostgresPool, guard: NestingGuard): Promise<Db> {
  const dialect = new PostgresDialect({ pool })
  const driver = dialect.createDriver()
  await driver.init()
  const provider: ConnectionProvider = guard.guard(new DefaultConnectionProvider(driver))
  const executor = new DefaultQueryExecutor(
    dialect.createQueryCompiler(),
    dialect.createAdapter(),
    provider,
    // Keys in JSON values are data, so they stay.
    [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  )
  return new Kysely<Schema>({ config: { dialect }, dialect, driver, executor })
}

async function withDeadline(answer: Promise<unknown>, timeoutMs: number): Promise<void> {
  const deadline = Promise.withResolvers<never>()
  const error = new UmpireDatabaseError(
    'database_unavailable',
    `The database did not answer within ${timeoutMs} ms.`,
  )
  const timer = setTimeout(() => deadline.reject(error), timeoutMs)
  // The answer may reject after the deadline, when nothing handles it any more.
  answer.catch(() => {})
  await Promise.race([answer, deadline.promise]).finally(() => clearTimeout(timer))
}
