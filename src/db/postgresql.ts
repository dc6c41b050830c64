// A PostgreSQL server: the pool of connections and the one connection that listens.
import pg from 'pg'
import { databaseErrorCode, isDatabaseUnavailable, UmpireDatabaseError } from './database-errors.ts'
import { encodeParameter, parserOf } from './sql-values.ts'

interface Log {
  warn(fields: object, message: string): void
}

/** Seconds and milliseconds after which the server ends what hangs, so that no lock is held for ever. */
const limits = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: 120_000,
  lock_timeout: 30_000,
  idle_in_transaction_session_timeout: 60_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
}

/**
 * Longest time without an answer, in milliseconds. The server itself ends what takes longer than `statement_timeout`, so
 * nothing is cut that would have come to an end: who is silent for so long has vanished, and no packet tells.
 */
const defaultAnswerTimeoutMs = limits.statement_timeout + 15_000

const minMajorVersion = 15

function clientConfig(url: string, answerMs = defaultAnswerTimeoutMs): pg.ClientConfig {
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
 * Opens the pool and checks that a server is there.
 *
 * @param url `postgres://…`, also with a unix socket as its host
 * @param answerMs see `defaultAnswerTimeoutMs`
 * @throws DatabaseFault `database_unavailable`, `database_refused` or `database_version`
 */
export async function openPool(
  url: string,
  poolSize: number,
  log: Log,
  answerMs?: number,
): Promise<pg.Pool> {
  // Whatever the server's own settings are: a delivery that was answered is on its disk.
  const onConnect = async (client: pg.ClientBase) =>
    void (await client.query('set synchronous_commit = on'))
  const pool = new pg.Pool({ ...clientConfig(url, answerMs), max: poolSize, onConnect })
  // A connection that breaks tells its user by the failing query; unheard, the event would end the process.
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
    if (error instanceof UmpireDatabaseError) throw error
    const code = databaseErrorCode(error)
    if (isRefusal(code)) {
      const message = `The server at DATABASE_URL refuses us: its user, password or database is not right (${code}).`
      throw new UmpireDatabaseError('database_refused', message)
    }
    if (!isDatabaseUnavailable(error)) throw error
    // Not the driver's own message: it can hold the address, and with it a password.
    const reason = code ?? 'no answer'
    throw new UmpireDatabaseError(
      'database_unavailable',
      `The database at DATABASE_URL can't be reached (${reason}).`,
    )
  }
}

/** Whether the driver gave up waiting for an answer. It goes on to use such a connection, behind the query that hangs. */
function isAnswerTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/** SQLSTATE class 28 (authorization), and a database that isn't there. */
function isRefusal(code: string | undefined): boolean {
  return code !== undefined && /^(28...|3D000)$/.test(code)
}

/** Runs statements on any connection of the pool; what the pool's own `query` does, with our parameters. */
export function queryPool(
  pool: pg.Pool,
  text: string,
  values: readonly unknown[] = [],
): Promise<pg.QueryResult> {
  return pool.query(text, values.map(encodeParameter))
}

/** The pool as Kysely wants it, with parameters encoded as for the other engine. */
export function kyselyPool(pool: pg.Pool) {
  return {
    options: pool.options,
    end: async () => {},
    connect: async () => {
      const client = await pool.connect()
      // Statements that a transaction sends at once go one after the other; the driver is giving up its own queue.
      let last: Promise<unknown> = Promise.resolve()
      let silence: unknown
      return {
        query: (text: string, values: readonly unknown[]) => {
          const result = last.then(() => {
            // What comes after it, a rollback say, would only wait as long again.
            if (silence !== undefined) throw silence
            return client.query(text, values.map(encodeParameter))
          })
          last = result.catch((error: unknown) => {
            if (isAnswerTimeout(error)) silence = error
          })
          return result
        },
        release: (destroy?: boolean) => client.release(destroy || silence !== undefined),
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

/** One connection of its own for all channels, made again when it breaks. */
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

  /** Resolves when the server sends; rejects when it can't be reached, and then nothing is left behind. */
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
    const client = new pg.Client(clientConfig(this.#url))
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

  /** A connection that died without a word is noticed by the query that doesn't come back. */
  async #beat(client: pg.Client): Promise<void> {
    const silent = setTimeout(() => this.#lose(client), heartbeatMs / 2)
    await client.query('select 1').catch(() => this.#lose(client))
    clearTimeout(silent)
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
      const pause = Math.min(maxReconnectDelayMs, 250 * 2 ** this.#failures++)
      this.#schedule(() => this.#reconnect(), pause)
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
