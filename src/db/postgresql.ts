// Connects to a PostgreSQL server, with a pool of connections and one connection for notifications.
import pg from 'pg'
import { databaseErrorCode, isDatabaseUnavailable, UmpireDatabaseError } from './database-errors.ts'
import { encodeParameter, parserOf } from './sql-values.ts'
import { createStatementNames } from './statement-names.ts'

interface Log {
  warn(fields: object, message: string): void
}

/**
 * Time limits after which the server ends statements and transactions, so that no lock stays
 * forever.
 */
const limits = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: 120_000,
  lock_timeout: 30_000,
  idle_in_transaction_session_timeout: 60_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
}

/**
 * The server ends statements at `statement_timeout`. A server without an answer after this longer
 * time has vanished without closing the connection, so no running statement is interrupted.
 */
const defaultAnswerTimeoutMs = limits.statement_timeout + 15_000

const minMajorVersion = 15

function buildClientConfig(url: string, answerMs = defaultAnswerTimeoutMs): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'umpire',
    ...limits,
    query_timeout: answerMs,
    types: {
      getTypeParser: ((typeId: number) => parserOf(typeId)) as typeof pg.types.getTypeParser,
    },
  }
}

/**
 * Opens the pool and checks that the server responds and has a supported version.
 *
 * @param url `postgres://…`, whose host may be a Unix socket
 * @param answerMs see `defaultAnswerTimeoutMs`
 * @throws UmpireDatabaseError `database_unavailable`, `database_refused` or `database_version`
 */
export async function openPool(
  url: string,
  poolSize: number,
  log: Log,
  answerMs?: number,
): Promise<pg.Pool> {
  // An acknowledged delivery must be on the disk, regardless of the server's default.
  const onConnect = async (client: pg.ClientBase) => {
    await client.query('set synchronous_commit = on')
  }
  const config = buildClientConfig(url, answerMs)
  const pool = new pg.Pool({ ...config, max: poolSize, onConnect })
  // Without a listener, the error event of a broken connection would end the process. The query
  // that uses the connection fails anyway.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', (error) => log.warn({ err: error }, 'A connection to the database was lost'))
  try {
    const { rows } = await pool.query(
      `select current_setting('server_version_num')::int as version`,
    )
    const major = Math.floor(rows[0].version / 10_000)
    if (major >= minMajorVersion) return pool
    throw new UmpireDatabaseError(
      'database_version',
      `PostgreSQL ${major} is too old: version ${minMajorVersion} is needed.`,
    )
  } catch (error) {
    await pool.end()
    throw toConnectError(error)
  }
}

function toConnectError(error: unknown): unknown {
  if (error instanceof UmpireDatabaseError) return error
  const code = databaseErrorCode(error)
  if (isRefusal(code)) {
    const reason = `its user, password or database is not right (${code})`
    const message = `The server at DATABASE_URL refuses us: ${reason}.`
    return new UmpireDatabaseError('database_refused', message)
  }
  if (!isDatabaseUnavailable(error)) return error
  // The driver's own message may contain the address and a password in it.
  const message = `The database at DATABASE_URL can't be reached (${code ?? 'no answer'}).`
  return new UmpireDatabaseError('database_unavailable', message)
}

/** Whether the driver stopped waiting for a response. It keeps using the connection afterwards. */
function isAnswerTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/** SQLSTATE class 28 means a failed authorization, 3D000 an unknown database. */
function isRefusal(code: string | undefined): boolean {
  return code !== undefined && /^(28...|3D000)$/.test(code)
}

/** Whether a migration changed the columns of a statement that the connection has prepared. */
function isOutdatedPlan(error: unknown): boolean {
  return error instanceof Error && error.message === 'cached plan must not change result type'
}

function toOutdatedPlanError(cause: unknown): UmpireDatabaseError {
  const message = 'A migration changed the database while this statement was prepared.'
  return new UmpireDatabaseError('database_unavailable', message, { cause })
}

/**
 * Adapts the pool to Kysely, with parameters encoded as for both engines. Statements that are run
 * often are prepared, which halves the work of the server for a review.
 */
export function kyselyPool(pool: pg.Pool) {
  const nameOf = createStatementNames()
  return {
    options: pool.options,
    end: async () => {},
    connect: async () => {
      const client = await pool.connect()
      // Queries of one client are sent one after the other, because `pg` is removing its own queue.
      let lastQuery: Promise<unknown> = Promise.resolve()
      let timeoutError: unknown
      let isOutdated = false
      return {
        query: (text: string, values: readonly unknown[]) => {
          const result = lastQuery.then(() => {
            // A later statement, such as a rollback, would only time out as well.
            if (timeoutError !== undefined) throw timeoutError
            const name = nameOf(text, values)
            return client.query({ name, text, values: values.map(encodeParameter) })
          })
          lastQuery = result.catch((error: unknown) => {
            if (isAnswerTimeout(error)) timeoutError = error
            isOutdated ||= isOutdatedPlan(error)
          })
          return result.catch((error: unknown) => {
            throw isOutdatedPlan(error) ? toOutdatedPlanError(error) : error
          })
        },
        release: (destroy?: boolean) =>
          client.release(destroy || isOutdated || timeoutError !== undefined),
      }
    },
  }
}

const heartbeatMs = 10_000
const maxReconnectDelayMs = 30_000

interface Subscription {
  onNotification(payload: string): void
  onReconnect(): void
}

/** Listens to all channels on one connection, and reconnects when it breaks. */
export class Listener {
  readonly #url: string
  readonly #log: Log
  readonly #channels = new Map<string, Set<Subscription>>()
  #client: pg.Client | null = null
  #connecting: Promise<void> | null = null
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  #closed = false

  constructor(url: string, log: Log) {
    this.#url = url
    this.#log = log
  }

  /**
   * Resolves when the server has subscribed the channel; rejects if the server can't be reached.
   */
  async listen(channel: string, subscription: Subscription): Promise<{ close(): Promise<void> }> {
    const subscriptions = this.#channels.get(channel) ?? new Set()
    this.#channels.set(channel, subscriptions)
    subscriptions.add(subscription)
    try {
      if (this.#client) await this.#client.query(`listen ${pg.escapeIdentifier(channel)}`)
      else await this.#connect()
    } catch (error) {
      subscriptions.delete(subscription)
      throw error
    }
    subscription.onReconnect()
    return {
      close: async () => {
        subscriptions.delete(subscription)
      },
    }
  }

  #connect(): Promise<void> {
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = null
    })
    return this.#connecting
  }

  async #open(): Promise<void> {
    const client = new pg.Client(buildClientConfig(this.#url))
    client.on('error', () => this.#lose(client))
    client.on('end', () => this.#lose(client))
    client.on('notification', ({ channel, payload }) => {
      for (const subscription of this.#channels.get(channel) ?? [])
        subscription.onNotification(payload ?? '')
    })
    try {
      await client.connect()
      for (const channel of this.#channels.keys())
        await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    if (this.#closed) return client.end()
    this.#client = client
    this.#failures = 0
    this.#schedule(() => this.#beat(client), heartbeatMs)
  }

  /** Sends a query regularly, because a connection can break without an event. */
  async #beat(client: pg.Client): Promise<void> {
    const timeout = setTimeout(() => this.#lose(client), heartbeatMs / 2)
    await client.query('select 1').catch(() => this.#lose(client))
    clearTimeout(timeout)
    if (this.#client === client) this.#schedule(() => this.#beat(client), heartbeatMs)
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = null
    client.end().catch(() => {})
    if (this.#closed) return
    this.#log.warn({}, 'The connection that listens to the database was lost; connecting again')
    this.#schedule(() => this.#reconnect(), 0)
  }

  async #reconnect(): Promise<void> {
    try {
      await this.#connect()
    } catch {
      const delayMs = Math.min(maxReconnectDelayMs, 250 * 2 ** this.#failures)
      this.#failures += 1
      this.#schedule(() => this.#reconnect(), delayMs)
      return
    }
    for (const subscriptions of this.#channels.values()) {
      for (const subscription of subscriptions) subscription.onReconnect()
    }
  }

  #schedule(task: () => Promise<void>, delay: number): void {
    clearTimeout(this.#timer)
    if (!this.#closed) this.#timer = setTimeout(() => void task(), delay)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#connecting?.catch(() => {})
    const client = this.#client
    this.#client = null
    await client?.end().catch(() => {})
  }
}
