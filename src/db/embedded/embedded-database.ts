// The embedded database seen from the main thread: one connection, handed out in the order of asking.
import { once } from 'node:events'
import { mkdirSync, statfsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { DatabaseFault } from '../errors.ts'
import { encodeParameter, parserOf } from '../values.ts'
import type { ThreadMessage, ThreadRequest } from './embedded-thread.ts'
import type { TransactionStatus, WireError, WireReply, WireResult } from './engine.ts'
import { type FolderLock, lockFolder } from './folder-lock.ts'

/** What a statement gave, in the shape of `pg`. */
export interface QueryResult {
  command: string
  rowCount: number | null
  rows: Record<string, unknown>[]
}

/** Exclusive use of the connection, in the shape of a client of `pg`'s pool. */
export interface Lease {
  /** Several statements without values give several results. */
  query(text: string, values?: readonly unknown[]): Promise<QueryResult | QueryResult[]>
  release(): void
}

/** A transaction that has done nothing for `idleLimitMs` is rolled back, as the PostgreSQL server does it. */
export interface IdleLimit {
  idleLimitMs: number
  /** How often to look. */
  watchMs: number
}

const usualLimit: IdleLimit = { idleLimitMs: 60_000, watchMs: 5_000 }
/** Below this, PostgreSQL may not be able to write its log any more. */
const minimumFreeBytes = 64 * 1024 * 1024

/**
 * Opens the database in a folder and starts its thread.
 *
 * @throws DatabaseFault `database_locked`, `database_version` or `database_unsafe`
 */
export async function openEmbedded(directory: string, limit = usualLimit): Promise<EmbeddedDatabase> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const lock = lockFolder(directory)
  try {
    const worker = new Worker(new URL('./embedded-thread.ts', import.meta.url), {
      workerData: { directory },
      resourceLimits: { stackSizeMb: 32 },
    })
    const ended = once(worker, 'exit').then((): [ThreadMessage] => [{ kind: 'broken', reason: 'its thread ended' }])
    const [first] = await Promise.race([once(worker, 'message') as Promise<[ThreadMessage]>, ended])
    if (first.kind === 'ready') return new EmbeddedDatabase(directory, worker, lock, limit)
    await worker.terminate()
    throw describeFailedStart(first)
  } catch (error) {
    lock.release()
    throw error
  }
}

function describeFailedStart(message: ThreadMessage): Error {
  if (message.kind === 'failed' && (message.code === 'database_version' || message.code === 'database_unsafe')) {
    return new DatabaseFault(message.code, message.message)
  }
  const reason = message.kind === 'failed' ? message.message : message.kind === 'broken' ? message.reason : message.kind
  return new DatabaseFault('database_stopped', `The embedded database does not start: ${reason}`)
}

interface Waiter {
  readonly lease: ConnectionLease
  resolve(lease: ConnectionLease): void
  reject(error: Error): void
}

interface HeldAnswer {
  /** On the clock of `performance.now()`. */
  readonly since: number
  resolve(): void
  reject(error: Error): void
}

/** Commits that were not brought to the disk one by one: all at once, when nobody waits or one of these is reached. */
const groupLimits = { commits: 64, milliseconds: 5 }

/** Ends a transaction without waiting for the disk. */
const lazyCommit = 'set local synchronous_commit = off; commit'
/** Brings everything up to here to the disk. */
const syncStatement = `select pg_logical_emit_message(false, 'umpire', 'sync', true)`

export class EmbeddedDatabase {
  readonly #directory: string
  readonly #worker: Worker
  readonly #lock: FolderLock
  readonly #idleLimitMs: number
  /** Requests under way, in the order in which the thread answers them. */
  readonly #pending: { resolve(reply: WireReply): void; reject(error: Error): void }[] = []
  readonly #waiters: Waiter[] = []
  readonly #listeners = new Map<string, Set<(payload: string) => void>>()
  readonly #watch: NodeJS.Timeout
  readonly #ended: Promise<unknown>
  #lease: ConnectionLease | null = null
  /** Answers held back until what they tell of is on the disk. */
  readonly #unsynced: HeldAnswer[] = []
  #status: TransactionStatus = 'I'
  #stopped: DatabaseFault | null = null
  #closing: Promise<void> | null = null

  constructor(directory: string, worker: Worker, lock: FolderLock, limit: IdleLimit) {
    this.#idleLimitMs = limit.idleLimitMs
    this.#directory = directory
    this.#worker = worker
    this.#lock = lock
    this.#ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.on('message', (message: ThreadMessage) => this.#receive(message))
    worker.on('error', (error) => this.#stop(`its thread failed: ${error.message}`))
    worker.on('exit', () => this.#stop('its thread ended'))
    this.#watch = setInterval(() => this.#endIdleTransaction(), limit.watchMs)
    this.#watch.unref()
  }

  /** Whether nothing is running and nobody waits. */
  get idle(): boolean {
    return this.#lease === null
  }

  /** Waits for exclusive use of the connection. */
  connect(): Promise<Lease> {
    const refused = this.#stopped ?? (this.#closing && new DatabaseFault('database_stopped', 'The database is closed.'))
    if (refused) return Promise.reject(refused)
    return this.#enqueue()
  }

  #enqueue(lease = new ConnectionLease(this)): Promise<ConnectionLease> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ lease, resolve, reject })
      if (!this.#lease) this.#handOver()
    })
  }

  #handOver(): void {
    if (this.#unsynced.length > 0 && this.#isSyncDue()) {
      void this.#sync(this.#unsynced.splice(0))
      return
    }
    const waiter = this.#waiters.shift()
    this.#lease = waiter?.lease ?? null
    waiter?.resolve(waiter.lease)
  }

  #isSyncDue(): boolean {
    const { commits, milliseconds } = groupLimits
    if (this.#waiters.length === 0 || this.#unsynced.length >= commits) return true
    return performance.now() - this.#unsynced[0]!.since >= milliseconds
  }

  async #sync(group: readonly HeldAnswer[]): Promise<void> {
    this.#lease = new ConnectionLease(this)
    try {
      const { error } = await this.run(syncStatement, [])
      if (error) throw restoreError(error)
      for (const held of group) held.resolve()
    } catch (error) {
      for (const held of group) held.reject(error as Error)
    }
    this.#handOver()
  }

  /** Runs statements in exclusive use of the connection. */
  async query(text: string, values?: readonly unknown[]): Promise<QueryResult | QueryResult[]> {
    const lease = await this.connect()
    try {
      return await lease.query(text, values)
    } finally {
      lease.release()
    }
  }

  /** Only for the lease. @param begin opens a transaction first */
  run(text: string, values: readonly unknown[], begin = false): Promise<WireReply> {
    if (this.#stopped) return Promise.reject(this.#stopped)
    const request: ThreadRequest = { kind: 'run', text, values: values.map(encodeParameter), begin }
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject })
      this.#worker.postMessage(request)
    })
  }

  /** Only for the lease. */
  isHeldBy(lease: ConnectionLease): boolean {
    return this.#lease === lease
  }

  /** Only for the lease: waits for its turn again. */
  async regain(lease: ConnectionLease): Promise<void> {
    if (this.#stopped) throw this.#stopped
    await this.#enqueue(lease)
  }

  /** Only for the lease: whether a commit may share its way to the disk with those of others. */
  get crowded(): boolean {
    return this.#status === 'T' && (this.#waiters.length > 0 || this.#unsynced.length > 0)
  }

  /**
   * Only for the lease, outside of a transaction: lets the next one go on, and resolves when all that was committed
   * so far is on the disk. Also for those who only read: what they saw must not vanish.
   */
  async settle(lease: ConnectionLease, isLazy: boolean): Promise<void> {
    if (this.#lease !== lease || (!isLazy && this.#unsynced.length === 0)) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#unsynced.push({ since: performance.now(), resolve, reject })
    this.giveBack(lease)
    await promise
  }

  /** Only for the lease: ends what its user left open, then it is the next one's turn. */
  giveBack(lease: ConnectionLease): void {
    if (this.#lease !== lease) return
    if (this.#status === 'I' && this.#pending.length === 0) {
      this.#handOver()
      return
    }
    // An open transaction, or a statement that its caller no longer waits for. The thread answers in order, so this
    // answer comes last.
    this.run('rollback', []).then(
      () => this.#handOver(),
      () => this.#handOver(),
    )
  }

  /** Calls back for each notification on a channel, from now on. */
  async listen(channel: string, onNotification: (payload: string) => void): Promise<{ close(): Promise<void> }> {
    const listeners = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, listeners)
    // An object of its own, so that the same function can listen twice.
    const listener = (payload: string) => onNotification(payload)
    listeners.add(listener)
    await this.query(`listen ${pg.escapeIdentifier(channel)}`)
    return {
      close: async () => {
        listeners.delete(listener)
      },
    }
  }

  /** @throws DatabaseFault `database_disk_full` while there is still room for the engine to go on */
  checkSpace(): void {
    const { bavail, bsize } = statfsSync(this.#directory)
    if (bavail * bsize >= minimumFreeBytes) return
    throw new DatabaseFault('database_disk_full', `Less than 64 MB are free where ${this.#directory} is.`)
  }

  /**
   * Lets those who already wait have their turn, then closes the database and releases its folder. A transaction
   * that doesn't end is rolled back after `patienceMs`.
   */
  close(patienceMs = 10_000): Promise<void> {
    this.#closing ??= this.#close(patienceMs)
    return this.#closing
  }

  async #close(patienceMs: number): Promise<void> {
    clearInterval(this.#watch)
    if (!this.#stopped) {
      const timer = setTimeout(() => this.#stop('it was closed while a transaction was open', true), patienceMs)
      await this.#enqueue().catch(() => {})
      clearTimeout(timer)
      this.#worker.postMessage({ kind: 'close' } satisfies ThreadRequest)
    }
    await this.#ended
    this.#lock.release()
  }

  #receive(message: ThreadMessage): void {
    if (message.kind === 'reply') {
      this.#status = message.reply.status
      this.#pending.shift()?.resolve(message.reply)
    } else if (message.kind === 'notification') {
      for (const listener of this.#listeners.get(message.channel) ?? []) listener(message.payload)
    } else if (message.kind === 'broken') {
      this.#stop(message.reason)
    }
  }

  /** From here on everything fails at once, with the reason. */
  #stop(reason: string, keepThread = false): void {
    if (this.#stopped) return
    const fault = new DatabaseFault('database_stopped', `The embedded database stopped: ${reason}`)
    this.#stopped = fault
    clearInterval(this.#watch)
    if (!keepThread) void this.#worker.terminate()
    for (const request of this.#pending.splice(0)) request.reject(fault)
    for (const waiter of this.#waiters.splice(0)) waiter.reject(fault)
    for (const held of this.#unsynced.splice(0)) held.reject(fault)
  }

  #endIdleTransaction(): void {
    if (this.#pending.length > 0 || !this.#lease) return
    if (performance.now() - this.#lease.usedAt < this.#idleLimitMs) return
    const lease = this.#lease
    lease.revoke()
    this.giveBack(lease)
  }
}

class ConnectionLease implements Lease {
  readonly #database: EmbeddedDatabase
  #ended: Error | null = null
  /** A transaction was asked for, but no statement of it yet. */
  #begun = false
  #turn: Promise<void> | null = null
  /** On the clock of `performance.now()`. */
  usedAt = performance.now()

  constructor(database: EmbeddedDatabase) {
    this.#database = database
  }

  async query(text: string, values: readonly unknown[] = []): Promise<QueryResult | QueryResult[]> {
    if (!this.#database.isHeldBy(this)) await this.#regain()
    if (this.#ended) {
      this.#database.giveBack(this)
      throw this.#ended
    }
    this.usedAt = performance.now()
    // Sent with the first statement of the transaction: one way to the thread and back less.
    if (text === 'begin' && !this.#begun) return this.#note('BEGIN')
    if (this.#begun && (text === 'commit' || text === 'rollback')) return this.#note(text.toUpperCase())
    const begin = this.#begun
    this.#begun = false
    const isLazy = text === 'commit' && this.#database.crowded
    const reply = await this.#database.run(isLazy ? lazyCommit : text, values, begin)
    this.usedAt = performance.now()
    // An error too can tell of something that is not on the disk yet: of a duplicate, say.
    if (reply.status === 'I') await this.#database.settle(this, isLazy)
    if (reply.error) throw restoreError(reply.error)
    const results = (isLazy ? reply.results.slice(1) : reply.results).map(readResult)
    return results.length === 1 ? results[0]! : results.length > 1 ? results : emptyResult('')
  }

  /** After a commit others had their turn; several statements at once wait for the same one. */
  #regain(): Promise<void> {
    if (this.#ended) return Promise.reject(this.#ended)
    this.#turn ??= this.#database.regain(this).finally(() => {
      this.#turn = null
    })
    return this.#turn
  }

  #note(command: string): QueryResult {
    this.#begun = command === 'BEGIN'
    return emptyResult(command)
  }

  release(): void {
    this.#ended ??= new Error('The connection was given back already.')
    this.#database.giveBack(this)
  }

  revoke(): void {
    this.#ended = new DatabaseFault('database_transaction_idle', 'A transaction that did nothing was rolled back.')
  }
}

const emptyResult = (command: string): QueryResult => ({ command, rowCount: null, rows: [] })

function readResult(result: WireResult): QueryResult {
  const columns = result.columns.map(([name, typeId]) => ({ name, parse: parserOf(typeId) }))
  const rows = result.rows.map((fields) => {
    const row: Record<string, unknown> = {}
    for (let index = 0; index < columns.length; index++) {
      const { name, parse } = columns[index]!
      const field = fields[index]!
      row[name] = field === null ? null : parse(field)
    }
    return row
  })
  return { command: result.command, rowCount: result.rowCount, rows }
}

/** The same class and fields as an error of `pg`. */
function restoreError({ message, ...fields }: WireError): Error {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), fields)
}
