// Opens the embedded PostgreSQL with durable commits and runs statements through its wire protocol.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type messages, PGlite } from '@electric-sql/pglite'
import { UmpireDatabaseError } from '../database-errors.ts'
import type { WireValue } from '../sql-values.ts'
import { dataFolderOf, hasDatabase } from './database-folder.ts'
import { DurableFiles, syncFile, syncFolder } from './durable-files.ts'
import { encodeCloseStatement, encodeExtendedQuery, encodeSimpleQuery } from './wire-messages.ts'

/** The major version of the engine. It opens no folder of another one. */
const postgresMajor = '18'

/**
 * The engine's defaults, but with fsync through the only sync method that its C library supports.
 */
export const durableStartParameters: readonly string[] = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['-c', 'fsync=on', '-c', 'wal_sync_method=fsync'],
  // The engine fills it with zeros at each start, and it stays in memory.
  ...['-c', 'shared_buffers=32MB'],
  // Statements stay prepared, and planning each execution costs more than the execution.
  ...['-c', 'plan_cache_mode=force_generic_plan'],
  // Far below the thread's stack, so that PostgreSQL itself rejects statements nested too deeply.
  ...['-c', 'max_stack_depth=512kB'],
]

/** Beyond this number, the least recently used statement is closed. */
const maxPreparedStatements = 256

/** Values are still text, as the protocol sends them. */
export interface WireResult {
  /** The first word that the command tag has, for example `INSERT`. */
  command: string
  rowCount: number | null
  /** The name and the type's `pg_type.oid` of each column. */
  columns: [name: string, typeId: number][]
  rows: (string | null)[][]
}

/** `I` is outside of a transaction, `T` is in one, `E` is in a failed one. */
export type TransactionStatus = 'I' | 'T' | 'E'

/** Fields of an error, named as in `pg`: message, severity, code, detail, constraint, … */
export type WireError = { message: string } & Record<string, string | undefined>

export interface WireReply {
  results: WireResult[]
  error: WireError | null
  status: TransactionStatus
}

export interface Engine {
  /**
   * Runs one statement, or several without values. Must not be called before the last call
   * resolved.
   */
  run(text: string, values: readonly WireValue[]): Promise<WireReply>
  close(): Promise<void>
}

interface EngineEvents {
  onNotification(channel: string, payload: string): void
  /** The engine's state is unknown, so no more statements may run. */
  /** The engine is in an unknown state; nothing may be run any more. */
  onBroken(reason: string): void
}

/**
 * Opens the database in a folder, and creates it if there is none.
 *
 * @param directory contains nothing but the database; the caller holds its lock
 * @throws UmpireDatabaseError `database_version` for a folder of another PostgreSQL version,
 *   `database_unsafe` when a commit doesn't reach the disk
 */
export async function openEngine(
  directory: string,
  events: EngineEvents,
  startParameters = durableStartParameters,
): Promise<Engine> {
  const data = dataFolderOf(directory)
  if (hasDatabase(directory)) checkVersion(data)
  else await createDatabase(data)

  const { database, files } = await startPostgres(data, events, startParameters)
  database.onNotification((channel, payload) => events.onNotification(channel, payload))
  const engine = new EmbeddedEngine(database, events)
  const syncsBefore = files.syncs
  await engine.run(`select pg_logical_emit_message(true, 'umpire', 'probe')`, [])
  if (files.syncs > syncsBefore) return engine
  await database.close()
  throw new UmpireDatabaseError(
    'database_unsafe',
    'The embedded database does not bring its commits to the disk: ' +
      'a power failure would lose them. This version of the embedded engine does not fit ' +
      'this program; install the one it is pinned to.',
  )
}

function checkVersion(data: string): void {
  const found = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  if (found === postgresMajor) return
  const versions = `PostgreSQL ${found}; this program has PostgreSQL ${postgresMajor}`
  throw new UmpireDatabaseError(
    'database_version',
    `The database in ${data} was written by ${versions}. ` +
      'Open it with the version of this program that wrote it and dump it there, ' +
      'or start with another DATA_DIR.',
  )
}

/**
 * Creates it in a temporary folder and renames that, so that a crash leaves no partial database.
 */
async function createDatabase(data: string): Promise<void> {
  if (existsSync(data) && readdirSync(data).length > 0) {
    throw new UmpireDatabaseError(
      'database_version',
      `${data} holds files, but not a database. Move them away first.`,
    )
  }
  const temporary = `${data}.new`
  rmSync(temporary, { recursive: true, force: true })
  mkdirSync(temporary, { mode: 0o700 })
  const failures: string[] = []
  const onBroken = (reason: string) => {
    failures.push(reason)
  }
  const events = { onNotification() {}, onBroken }
  const { database } = await startPostgres(temporary, events, durableStartParameters)
  await database.close()
  if (failures.length > 0)
    throw new Error(`The database could not be created: ${failures.join('; ')}`)
  syncFolder(temporary)
  rmSync(data, { recursive: true, force: true })
  renameSync(temporary, data)
  syncFile(dirname(data))
}

async function startPostgres(
  data: string,
  events: EngineEvents,
  startParameters: readonly string[],
) {
  const files = new DurableFiles(data, (error) =>
    events.onBroken(`the disk refused to keep data: ${error.message}`),
  )
  let stopReason = 'PostgreSQL stopped'
  const init = files.init.bind(files)
  files.init = async (engine, options) => {
    // After a panic PostgreSQL's program is aborted, but the engine's JavaScript would continue.
    return init(engine, { ...options, onAbort: () => events.onBroken(stopReason) })
  }
  // Other lines may quote statements and their values.
  const onStderr = (line: string) => {
    stopReason = /\b(?:PANIC|FATAL): .*/.exec(line)?.[0] ?? stopReason
  }
  const options = { fs: files, startParams: [...startParameters], onStderr }
  return {
    database: await PGlite.create(options as ConstructorParameters<typeof PGlite>[0] & object),
    files,
  }
}

class EmbeddedEngine implements Engine {
  readonly #database: PGlite
  readonly #events: EngineEvents
  /** Names of prepared statements by their text, the least recently used first. */
  readonly #prepared = new Map<string, string>()
  #preparedCount = 0

  constructor(database: PGlite, events: EngineEvents) {
    this.#database = database
    this.#events = events
  }

  async run(text: string, values: readonly WireValue[]): Promise<WireReply> {
    if (values.length === 0) return this.#exchange(encodeSimpleQuery(text))
    const preparedName = this.#prepared.get(text)
    const name = preparedName ?? this.#createStatementName()
    const textToPrepare = preparedName ? null : text
    const reply = await this.#exchange(encodeExtendedQuery(name, textToPrepare, values))
    this.#prepared.delete(text)
    this.#prepared.set(text, name)
    if (reply.error) await this.#closeStatement(text)
    else if (this.#prepared.size > maxPreparedStatements)
      await this.#closeStatement(this.#prepared.keys().next().value!)
    // After a change of the schema, a prepared statement may have to be prepared again.
    const isOutdated = preparedName && outdatedStatementCodes.has(reply.error?.code)
    return isOutdated && reply.status === 'I' ? this.run(text, values) : reply
  }

  #createStatementName(): string {
    this.#preparedCount += 1
    return `s${this.#preparedCount}`
  }

  async #closeStatement(text: string): Promise<void> {
    const name = this.#prepared.get(text)
    this.#prepared.delete(text)
    if (name) await this.#exchange(encodeCloseStatement(name))
  }

  async #exchange(request: Uint8Array): Promise<WireReply> {
    const received = await this.#database.execProtocolStream(request, {
      syncToFs: false,
      throwOnError: false,
    })
    // Every answer ends with this message. The engine hides internal failures, such as a stack
    // overflow.
    if (!received.some((message) => message.name === 'readyForQuery'))
      this.#events.onBroken('PostgreSQL did not answer')
    return readReply(received)
  }

  async close(): Promise<void> {
    await this.#exchange(encodeSimpleQuery('rollback'))
    const { error } = await this.#exchange(encodeSimpleQuery('checkpoint'))
    // Callers rely on a close without an error for all commits being on the disk.
    if (error) throw new Error(`The last checkpoint failed: ${error.message}`)
    await this.#database.close()
  }
}

/** SQLSTATE of a changed result type (`feature_not_supported`) and of an unknown statement name. */
const outdatedStatementCodes: ReadonlySet<string | undefined> = new Set(['0A000', '26000'])

const errorFields = [
  'severity',
  'code',
  'detail',
  'hint',
  'position',
  'internalPosition',
  'internalQuery',
  'where',
  'schema',
  'table',
  'column',
  'dataType',
  'constraint',
  'file',
  'line',
  'routine',
]

function readReply(received: readonly messages.BackendMessage[]): WireReply {
  const reply: WireReply = { results: [], error: null, status: 'I' }
  let columns: WireResult['columns'] = []
  let rows: WireResult['rows'] = []
  for (const message of received) {
    if (message.name === 'rowDescription') {
      const { fields } = message as messages.RowDescriptionMessage
      columns = fields.map((field) => [field.name, field.dataTypeID])
    } else if (message.name === 'dataRow') {
      rows.push((message as messages.DataRowMessage).fields)
    } else if (message.name === 'commandComplete') {
      reply.results.push({
        ...readCommandTag((message as messages.CommandCompleteMessage).text),
        columns,
        rows,
      })
      columns = []
      rows = []
    } else if (message.name === 'error') {
      reply.error ??= readError(message as messages.DatabaseError)
    } else if (message.name === 'readyForQuery') {
      reply.status = (message as messages.ReadyForQueryMessage).status as TransactionStatus
    }
  }
  return reply
}

/**
 * Reads tags such as `SELECT 2`, `INSERT 0 5` or `CREATE TABLE`, which may end with a row count.
 */
function readCommandTag(tag: string): Pick<WireResult, 'command' | 'rowCount'> {
  const words = tag.split(' ')
  const last = words.at(-1)!
  return { command: words[0]!, rowCount: /^\d+$/.test(last) ? Number(last) : null }
}

function readError(error: messages.DatabaseError): WireError {
  const fields = errorFields.map((name) => [
    name,
    (error as unknown as Record<string, string | undefined>)[name],
  ])
  return { ...Object.fromEntries(fields), message: error.message }
}
