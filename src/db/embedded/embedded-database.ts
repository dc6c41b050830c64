// Manages the embedded database's connection: leases it in order of request and groups commits.
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

export interface Limits {
  /**
   * A lease that is idle for this long while others wait is revoked, and its transaction rolled
   * back.
   */
  idleLimitMs: number
  /** How often idle leases are searched for. */
  watchMs: number
  /** The engine is stopped when a statement takes longer, because it has no `statement_timeout`. */
  statementLimitMs: number
}

const defaultLimits: Limits = { idleLimitMs: 60_000, watchMs: 5_000, statementLimitMs: 120_000 }

/** With less space, PostgreSQL may be unable to write its log. */
const minFreeBytes = 64 * 1024 * 1024

/** Matches statements that write. */
const writeStatementPattern = /^\s*(insert|update|delete|merge|with)\b/i

/**
 * Opens the database in a folder and starts its thread. Creates the database if there is none.
 *
 * @throws UmpireDatabaseError `database_locked`, `database_version`, `database_unsafe` or
 *   `database_disk_full`
 * @throws ConfigError when the folder can't be created
 */
export async function openEmbedded(
  directory: string,
  limits: Partial<Limits> = {},
): Promise<EmbeddedDatabase> {
  const allLimits = { ...defaultLimits, ...limits }
  makeFolder(directory)
  // On a full disk, creating a database would fail halfway.
  checkFreeSpace(directory)
  const lock = lockFolder(directory)
  try {
    const engine = await startEngine(directory, allLimits.statementLimitMs)
    return new EmbeddedDatabase(directory, engine, lock, allLimits)
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
  /** The current holder of the connection; null when the connection is free and no one waits. */
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
    engine.onStop((error) => {
      clearInterval(this.#watch)
      for (const waiter of this.#waiters.splice(0)) waiter.reject(error)
      if (this.#closing === null) this.#broken.resolve(error)
    })
  }

  /**
   * Resolves when the engine stopped unexpectedly. Everything fails until the process is restarted.
   */
  get broken(): Promise<UmpireDatabaseError> {
    return this.#broken.promise
  }

  /** Whether no statement is running and no one waits. */
  get idle(): boolean {
    return this.#lease === null
  }

  /** Waits for exclusive use of the connection. */
  async connect(): Promise<ConnectionLease> {
    if (this.#closing) throw new UmpireDatabaseError('database_stopped', 'The database is closed.')
    return this.#enqueue(new ConnectionLease(this))
  }

  /** Runs statements with exclusive use of the connection. */
  async query(text: string, values?: readonly unknown[]): Promise<QueryResult | QueryResult[]> {
    const lease = await this.connect()
    try {
      return await lease.query(text, values)
    } finally {
      lease.release()
    }
  }

  /** Calls `onNotification` for each notification on a channel from now on. */
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

  /**
   * @throws UmpireDatabaseError `database_disk_full` while the engine still has space to continue
   */
  checkSpace(): void {
    checkFreeSpace(this.#directory)
  }

  /**
   * Serves those who already wait, then closes the database and releases its folder. After half of
   * `timeoutMs`, an open transaction is rolled back. After all of it, a running statement is
   * interrupted, and the next start recovers what was committed.
   */
  close(timeoutMs = 10_000): Promise<void> {
    this.#closing ??= this.#close(timeoutMs)
    return this.#closing
  }

  async #close(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs
    const transactionTimeout = Promise.withResolvers<void>()
    const timer = setTimeout(transactionTimeout.resolve, timeoutMs / 2)
    const lease = this.#enqueue(new ConnectionLease(this))
    await Promise.race([lease, transactionTimeout.promise]).catch(() => {})
    clearTimeout(timer)
    // The last checkpoint flushes the commits that these callers wait for.
    const unsynced = this.#unsynced.takeWaiters()
    const isClean = await this.#engine.close(Math.max(0, deadline - performance.now()))
    if (isClean) unsynced.resolve()
    else unsynced.reject(this.#engine.stopped!)
    this.#lock.release()
  }

  isHeldBy(lease: ConnectionLease): boolean {
    return this.#lease === lease
  }

  async reacquire(lease: ConnectionLease): Promise<void> {
    await this.#enqueue(lease)
  }

  run(text: string, values: readonly unknown[], options: StatementOptions) {
    return this.#engine.run(text, values, options)
  }

  canDeferSync(text: string, values: readonly unknown[]): boolean {
    if (this.#waiters.length === 0 && this.#unsynced.count === 0) return false
    return this.#engine.status === 'T'
      ? text === 'commit'
      : values.length > 0 && writeStatementPattern.test(text)
  }

  /** Reads wait as well, because the data that they returned must not be lost in a crash. */
  async waitForSync(lease: ConnectionLease, lazy: boolean): Promise<void> {
    if (!lazy && this.#unsynced.count === 0) return
    const synced = this.#unsynced.waitForSync()
    this.returnLease(lease)
    if (!this.#lease) this.#handOver()
    await synced
  }

  returnLease(lease: ConnectionLease): void {
    if (this.#lease !== lease) return
    if (this.#engine.status === 'I' && !this.#engine.busy) {
      this.#handOver()
      return
    }
    // There is an open transaction, or a statement whose caller stopped waiting. The engine answers
    // in order, so the rollback is answered last.
    void this.#useFirst(() => this.#engine.run('rollback', []))
  }

  #enqueue(lease: ConnectionLease): Promise<ConnectionLease> {
    if (this.#engine.stopped) return Promise.reject(this.#engine.stopped)
    return new Promise((resolve, reject) => {
      this.#waiters.push({ lease, resolve, reject })
      if (!this.#lease) this.#handOver()
    })
  }

  /** Gives the connection to the next waiter, after flushing commits to the disk if that is due. */
  #handOver(): void {
    if (this.#unsynced.isDue || (this.#unsynced.count > 0 && this.#waiters.length === 0)) {
      void this.#useFirst(() => this.#unsynced.sync())
      return
    }
    const waiter = this.#waiters.shift()
    this.#lease = waiter?.lease ?? null
    waiter?.resolve(waiter.lease)
  }

  /** Uses the connection for internal work, before all waiters. */
  async #useFirst(work: () => Promise<unknown>): Promise<void> {
    this.#lease = new ConnectionLease(this)
    // When the engine stopped, `onStop` has already rejected the waiters.
    await work().catch(() => {})
    this.#handOver()
  }

  /**
   * A failed transaction is revoked earlier, because it can only be rolled back and blocks syncs.
   */
  #endIdleUse({ idleLimitMs, watchMs }: Limits): void {
    const hasWaiters = this.#waiters.length > 0 || this.#unsynced.count > 0
    if (this.#engine.busy || !hasWaiters) return
    const blocksSync = this.#unsynced.count > 0 && this.#engine.status === 'E'
    const limit = blocksSync ? watchMs : idleLimitMs
    if (this.#lease && performance.now() - this.#lease.usedAt >= limit) this.#lease.revoke()
  }
}
