// The embedded database: one connection, handed out in the order of asking; commits go to the disk in groups.
import { mkdirSync, statfsSync } from 'node:fs'
import pg from 'pg'
import { ConfigError } from '../../domain/errors.ts'
import { UmpireDatabaseError } from '../database-errors.ts'
import { ConnectionLease, type LeaseOwner } from './connection-lease.ts'
import type { StatementOptions } from './embedded-thread.ts'
import { type EnginePort, startEngine } from './engine-port.ts'
import { type FolderLock, lockFolder } from './folder-lock.ts'
import { GroupCommit } from './group-commit.ts'
import type { QueryResult } from './query-result.ts'

/** Times in milliseconds. */
export interface Limits {
  /** A connection that was not used for so long while others wait is taken away and its transaction rolled back. */
  idleLimitMs: number
  /** How often to look for such a connection. */
  watchMs: number
  /** The engine is stopped when one statement takes longer: it has no `statement_timeout`. */
  statementLimitMs: number
}

const defaultLimits: Limits = { idleLimitMs: 60_000, watchMs: 5_000, statementLimitMs: 120_000 }

/** Below this, PostgreSQL may not be able to write its log any more. */
const minFreeBytes = 64 * 1024 * 1024

/** A single statement that writes. */
const writeStatementPattern = /^\s*(insert|update|delete|merge|with)\b/i

/**
 * Opens the database in a folder, makes it where there is none, and starts its thread.
 *
 * @throws DatabaseFault `database_locked`, `database_version`, `database_unsafe` or `database_disk_full`
 * @throws ConfigError where the folder can't be made
 */
export async function openEmbedded(
  directory: string,
  limits: Partial<Limits> = {},
): Promise<EmbeddedDatabase> {
  const all = { ...defaultLimits, ...limits }
  makeFolder(directory)
  // Before a byte is written: what begins on a full disk ends half done.
  checkFreeSpace(directory)
  const lock = lockFolder(directory)
  try {
    return new EmbeddedDatabase(
      directory,
      await startEngine(directory, all.statementLimitMs),
      lock,
      all,
    )
  } catch (error) {
    lock.release()
    throw error
  }
}

function makeFolder(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new ConfigError(
      `The folder ${directory} can't be made (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
}

function checkFreeSpace(directory: string): void {
  const { bavail, bsize } = statfsSync(directory)
  if (bavail * bsize >= minFreeBytes) return
  throw new UmpireDatabaseError(
    'database_disk_full',
    `Less than 64 MB are free where ${directory} is: make room.`,
  )
}

interface Waiter {
  readonly lease: ConnectionLease
  resolve(lease: ConnectionLease): void
  reject(error: Error): void
}

export class EmbeddedDatabase implements LeaseOwner {
  readonly #directory: string
  readonly #engine: EnginePort
  readonly #lock: FolderLock
  readonly #watch: NodeJS.Timeout
  /** Who has the connection; null when nobody does and nobody waits. */
  #lease: ConnectionLease | null = null
  readonly #waiters: Waiter[] = []
  readonly #unsynced: GroupCommit
  #closing: Promise<void> | null = null
  readonly #broken = Promise.withResolvers<UmpireDatabaseError>()

  constructor(directory: string, engine: EnginePort, lock: FolderLock, limits: Limits) {
    this.#directory = directory
    this.#engine = engine
    this.#lock = lock
    this.#unsynced = new GroupCommit(engine)
    this.#watch = setInterval(() => this.#endIdleUse(limits), limits.watchMs)
    this.#watch.unref()
    engine.onStop((fault) => {
      clearInterval(this.#watch)
      for (const waiter of this.#waiters.splice(0)) waiter.reject(fault)
      if (this.#closing === null) this.#broken.resolve(fault)
    })
  }

  /** Resolves when the engine stopped by itself: nothing works until the process is started again. */
  get broken(): Promise<UmpireDatabaseError> {
    return this.#broken.promise
  }

  /** Whether nothing is running and nobody waits. */
  get idle(): boolean {
    return this.#lease === null
  }

  /** Waits for exclusive use of the connection. */
  async connect(): Promise<ConnectionLease> {
    if (this.#closing) throw new UmpireDatabaseError('database_stopped', 'The database is closed.')
    return this.#enqueue(new ConnectionLease(this))
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

  /** Calls back for each notification on a channel, from now on. */
  async listen(
    channel: string,
    onNotification: (payload: string) => void,
  ): Promise<{ close(): Promise<void> }> {
    const end = this.#engine.subscribe(channel, onNotification)
    try {
      await this.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      end()
      throw error
    }
    return { close: async () => end() }
  }

  /** @throws DatabaseFault `database_disk_full` while there is still room for the engine to go on */
  checkSpace(): void {
    checkFreeSpace(this.#directory)
  }

  /**
   * Lets those who already wait have their turn, then closes the database and releases its folder. A transaction that
   * doesn't end is rolled back after half of `scanTimeoutMs`; a statement that doesn't end is broken off after all of it,
   * and the next start recovers what was committed.
   */
  close(patienceMs = 10_000): Promise<void> {
    this.#closing ??= this.#close(patienceMs)
    return this.#closing
  }

  async #close(patienceMs: number): Promise<void> {
    const deadline = performance.now() + patienceMs
    const patience = Promise.withResolvers<void>()
    const timer = setTimeout(patience.resolve, patienceMs / 2)
    await Promise.race([this.#enqueue(new ConnectionLease(this)), patience.promise]).catch(() => {})
    clearTimeout(timer)
    // The last checkpoint brings to the disk what they wait for.
    const unsynced = this.#unsynced.takeWaiters()
    const orderly = await this.#engine.close(Math.max(0, deadline - performance.now()))
    if (orderly) unsynced.resolve()
    else unsynced.reject(this.#engine.stopped!)
    this.#lock.release()
  }

  isHeldBy(lease: ConnectionLease): boolean {
    return this.#lease === lease
  }

  async reacquire(lease: ConnectionLease): Promise<void> {
    await this.#enqueue(lease)
  }

  run(text: string, values: readonly unknown[], ways: StatementOptions) {
    return this.#engine.run(text, values, ways)
  }

  canDeferSync(text: string, values: readonly unknown[]): boolean {
    if (this.#waiters.length === 0 && this.#unsynced.count === 0) return false
    return this.#engine.status === 'T'
      ? text === 'commit'
      : values.length > 0 && writeStatementPattern.test(text)
  }

  /** Those who only read wait too: what they saw must not vanish. */
  async waitForSync(lease: ConnectionLease, lazy: boolean): Promise<void> {
    if (!lazy && this.#unsynced.count === 0) return
    const synced = this.#unsynced.waitForSync()
    this.returnLease(lease)
    if (!this.#lease) this.#handOver()
    await synced
  }

  returnLease(lease: ConnectionLease): void {
    if (this.#lease !== lease) return
    if (this.#engine.status === 'I' && !this.#engine.busy) this.#handOver()
    // An open transaction, or a statement that its caller no longer waits for. The engine answers in order, so this
    // answer comes last.
    else void this.#useFirst(() => this.#engine.run('rollback', []))
  }

  #enqueue(lease: ConnectionLease): Promise<ConnectionLease> {
    if (this.#engine.stopped) return Promise.reject(this.#engine.stopped)
    return new Promise((resolve, reject) => {
      this.#waiters.push({ lease, resolve, reject })
      if (!this.#lease) this.#handOver()
    })
  }

  /** It is the next one's turn; before that, what was committed is brought to the disk when that is due. */
  #handOver(): void {
    if (this.#unsynced.isDue || (this.#unsynced.count > 0 && this.#waiters.length === 0)) {
      void this.#useFirst(() => this.#unsynced.sync())
      return
    }
    const waiter = this.#waiters.shift()
    this.#lease = waiter?.lease ?? null
    waiter?.resolve(waiter.lease)
  }

  /** Takes the connection for a piece of our own work, before all who wait. */
  async #useFirst(work: () => Promise<unknown>): Promise<void> {
    this.#lease = new ConnectionLease(this)
    // When the engine stopped, those who wait know it already.
    await work().catch(() => {})
    this.#handOver()
  }

  /** A transaction that failed can only be rolled back, and until then nothing can be brought to the disk. */
  #endIdleUse({ idleLimitMs, watchMs }: Limits): void {
    if (this.#engine.busy || (this.#waiters.length === 0 && this.#unsynced.count === 0)) return
    const limit = this.#unsynced.count > 0 && this.#engine.status === 'E' ? watchMs : idleLimitMs
    if (this.#lease && performance.now() - this.#lease.usedAt >= limit) this.#lease.revoke()
  }
}
