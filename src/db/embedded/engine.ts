// The embedded PostgreSQL itself: opens the folder so that commits last, and runs statements given as text.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type messages, PGlite } from '@electric-sql/pglite'
import { UmpireDatabaseError } from '../database-errors.ts'
import type { WireValue } from '../sql-values.ts'
import { dataFolderOf, hasDatabase } from './database-folder.ts'
import { DurableFiles, syncFile, syncFolder } from './durable-files.ts'
import { encodeCloseStatement, encodeExtendedQuery, encodeSimpleQuery } from './wire-messages.ts'

/** The major version of the engine: a folder of another one doesn't open. */
const postgresMajor = '18'

/** The engine's own, but with fsync, and with the one sync method that its C library passes on. */
export const durableStartParameters: readonly string[] = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['-c', 'fsync=on', '-c', 'wal_sync_method=fsync'],
  // It is filled with zeros at each start, and stays in memory.
  ...['-c', 'shared_buffers=32MB'],
  // Statements stay prepared; planning each run of one anew costs more than the run.
  ...['-c', 'plan_cache_mode=force_generic_plan'],
  // Well below what the stack of the thread holds, so that PostgreSQL itself refuses what is nested too deep.
  ...['-c', 'max_stack_depth=512kB'],
]

/** Statements kept prepared; the least recently used one makes room. */
const maxPreparedStatements = 256

/** What one statement gave, still as text. */
export interface WireResult {
  /** First word of the command tag, for example `INSERT`. */
  command: string
  rowCount: number | null
  /** Name and type number of each column. */
  columns: [name: string, typeId: number][]
  rows: (string | null)[][]
}

/** `I` outside of a transaction, `T` in one, `E` in a failed one. */
export type TransactionStatus = 'I' | 'T' | 'E'

/** Fields of an error as the protocol names them in `pg`: message, severity, code, detail, constraint, … */
export type WireError = { message: string } & Record<string, string | undefined>

export interface WireReply {
  results: WireResult[]
  error: WireError | null
  status: TransactionStatus
}

export interface Engine {
  /** Runs one statement, or several without values. Must not be called again before it answered. */
  run(text: string, values: readonly WireValue[]): Promise<WireReply>
  close(): Promise<void>
}

export interface EngineEvents {
  onNotification(channel: string, payload: string): void
  /** The engine is in an unknown state; nothing may be run any more. */
  onBroken(reason: string): void
}

/**
 * Opens the database in a folder, and makes it first where there is none.
 *
 * @param directory holds nothing but the database; the caller has its lock
 * @throws DatabaseFault `database_version` for a folder of another PostgreSQL, `database_unsafe` when a commit
 *   doesn't reach the disk
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
  const before = files.syncs
  await engine.run(`select pg_logical_emit_message(true, 'umpire', 'probe')`, [])
  if (files.syncs === before) {
    await database.close()
    throw new UmpireDatabaseError(
      'database_unsafe',
      'The embedded database does not bring its commits to the disk: a power failure would lose them. ' +
        'This version of the embedded engine does not fit this program; install the one it is pinned to.',
    )
  }
  return engine
}

function checkVersion(data: string): void {
  const found = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  if (found === postgresMajor) return
  throw new UmpireDatabaseError(
    'database_version',
    `The database in ${data} was written by PostgreSQL ${found}; this program has PostgreSQL ${postgresMajor}. ` +
      'Open it with the version of this program that wrote it and dump it there, or start with another DATA_DIR.',
  )
}

/** In a folder beside, moved into place when all of it is on the disk: a crash leaves a whole database or none. */
async function createDatabase(data: string): Promise<void> {
  if (existsSync(data) && readdirSync(data).length > 0) {
    throw new UmpireDatabaseError(
      'database_version',
      `${data} holds files, but not a database. Move them away first.`,
    )
  }
  const unfinished = `${data}.new`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  const broken: string[] = []
  const events = { onNotification() {}, onBroken: (reason: string) => void broken.push(reason) }
  const { database } = await startPostgres(unfinished, events, durableStartParameters)
  await database.close()
  if (broken.length > 0) throw new Error(`The database could not be created: ${broken.join('; ')}`)
  syncFolder(unfinished)
  rmSync(data, { recursive: true, force: true })
  renameSync(unfinished, data)
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
  let lastWords = 'PostgreSQL stopped'
  const init = files.init.bind(files)
  files.init = async (engine, options) => {
    // A panic of PostgreSQL aborts its program; the engine's JavaScript would carry on as if it hadn't.
    return init(engine, { ...options, onAbort: () => events.onBroken(lastWords) })
  }
  // Only these lines: others can quote statements and what is in them.
  const onStderr = (line: string) => {
    lastWords = /\b(?:PANIC|FATAL): .*/.exec(line)?.[0] ?? lastWords
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
  /** Statement text to its name, the least recently used first. */
  readonly #prepared = new Map<string, string>()
  #preparedCount = 0

  constructor(database: PGlite, events: EngineEvents) {
    this.#database = database
    this.#events = events
  }

  async run(text: string, values: readonly WireValue[]): Promise<WireReply> {
    if (values.length === 0) return this.#exchange(encodeSimpleQuery(text))
    const known = this.#prepared.get(text)
    const name = known ?? `s${++this.#preparedCount}`
    const reply = await this.#exchange(encodeExtendedQuery(name, known ? null : text, values))
    this.#prepared.delete(text)
    this.#prepared.set(text, name)
    if (reply.error) await this.#forget(text)
    else if (this.#prepared.size > maxPreparedStatements)
      await this.#forget(this.#prepared.keys().next().value!)
    // A prepared statement can be out of date after a change of the schema: then once more with a new one.
    const outdated = known && (reply.error?.code === '0A000' || reply.error?.code === '26000')
    return outdated && reply.status === 'I' ? this.run(text, values) : reply
  }

  async #forget(text: string): Promise<void> {
    const name = this.#prepared.get(text)
    this.#prepared.delete(text)
    if (name) await this.#exchange(encodeCloseStatement(name))
  }

  async #exchange(request: Uint8Array): Promise<WireReply> {
    const received = await this.#database.execProtocolStream(request, {
      syncToFs: false,
      throwOnError: false,
    })
    // Every answer ends so. The engine hides what went wrong inside (the stack ran over, say) and would go on.
    if (!received.some((message) => message.name === 'readyForQuery'))
      this.#events.onBroken('PostgreSQL did not answer')
    return readReply(received)
  }

  async close(): Promise<void> {
    await this.#exchange(encodeSimpleQuery('rollback'))
    const { error } = await this.#exchange(encodeSimpleQuery('checkpoint'))
    // Callers take a close in good order as the word that all is on the disk.
    if (error) throw new Error(`The last checkpoint failed: ${error.message}`)
    await this.#database.close()
  }
}

const errorFields = [
  ...[
    'severity',
    'code',
    'detail',
    'hint',
    'position',
    'internalPosition',
    'internalQuery',
    'where',
  ],
  ...['schema', 'table', 'column', 'dataType', 'constraint', 'file', 'line', 'routine'],
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

/** `SELECT 2`, `INSERT 0 5`, `CREATE TABLE`: the first word, and the last one where it is a number. */
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
