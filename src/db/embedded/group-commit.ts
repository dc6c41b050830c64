// Delays answers until their commits are on the disk, and flushes the commits of several callers at
// once.
import type { EnginePort } from './engine-port.ts'
import { toPgError } from './query-result.ts'

/** Commits wait for others up to these limits, or until the connection is idle. */
const groupLimits = { commits: 64, milliseconds: 5 }
/**
 * Flushes the log up to here. It isn't transactional, so it also works in another caller's
 * transaction.
 */
const syncStatement = `select pg_logical_emit_message(false, 'umpire', 'sync', true)`

interface SyncWaiter {
  /** When it began to wait, by the clock of `performance.now()`. */
  readonly since: number
  resolve(): void
  reject(error: Error): void
}

export class GroupCommit {
  readonly #engine: EnginePort
  #waiters: SyncWaiter[] = []
  #timer: NodeJS.Timeout | null = null

  constructor(engine: EnginePort) {
    this.#engine = engine
    engine.onStop((error) => this.takeWaiters().reject(error))
  }

  get count(): number {
    return this.#waiters.length
  }

  /** Whether waiting commits have reached one of the limits. */
  get isDue(): boolean {
    const [oldest] = this.#waiters
    if (oldest === undefined) return false
    if (this.#waiters.length >= groupLimits.commits) return true
    return performance.now() - oldest.since >= groupLimits.milliseconds
  }

  /** Resolves when all commits so far are on the disk. */
  waitForSync(): Promise<void> {
    this.#syncWhenIdle()
    return new Promise((resolve, reject) => {
      this.#waiters.push({ since: performance.now(), resolve, reject })
    })
  }

  /** Flushes commits. Rejects the promises of the waiters on failure, but never its own. */
  async sync(): Promise<void> {
    const group = this.takeWaiters()
    try {
      const { error } = await this.#engine.run(syncStatement, [])
      if (error) throw toPgError(error)
      group.resolve()
    } catch (error) {
      group.reject(error as Error)
    }
  }

  /** Returns the current waiters, which the caller must resolve or reject. */
  takeWaiters(): { resolve(): void; reject(error: Error): void } {
    const group = this.#waiters
    this.#waiters = []
    return {
      resolve: () => {
        for (const waiter of group) waiter.resolve()
      },
      reject: (error) => {
        for (const waiter of group) waiter.reject(error)
      },
    }
  }

  /** Doesn't depend on the holder of the connection, which may pause between two statements. */
  #syncWhenIdle(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      if (this.#waiters.length === 0) return
      // In a failed transaction no statement can run but its end.
      if (this.#engine.busy || this.#engine.status === 'E') this.#syncWhenIdle()
      else void this.sync()
    }, groupLimits.milliseconds)
  }
}
