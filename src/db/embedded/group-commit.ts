// Answers held back until what they tell of is on the disk: commits of several callers share one way there.
import type { EnginePort } from './engine-port.ts'
import { toPgError } from './query-result.ts'

/** Commits wait for each other at most until there are so many, or so long; and not at all when the engine is idle. */
const groupLimits = { commits: 64, milliseconds: 5 }
/** Brings everything up to here to the disk; in a transaction of somebody else too, of which it is no part. */
const syncStatement = `select pg_logical_emit_message(false, 'umpire', 'sync', true)`

interface SyncWaiter {
  /** On the clock of `performance.now()`. */
  readonly since: number
  resolve(): void
  reject(error: Error): void
}

export class GroupCommit {
  readonly #engine: EnginePort
  #held: SyncWaiter[] = []
  #timer: NodeJS.Timeout | null = null

  constructor(engine: EnginePort) {
    this.#engine = engine
    engine.onStop((fault) => this.takeWaiters().reject(fault))
  }

  get count(): number {
    return this.#held.length
  }

  /** Whether the others have waited long enough for more to come. */
  get isDue(): boolean {
    if (this.#held.length >= groupLimits.commits) return true
    return (
      this.#held.length > 0 && performance.now() - this.#held[0]!.since >= groupLimits.milliseconds
    )
  }

  /** Resolves when all that was committed so far is on the disk. */
  waitForSync(): Promise<void> {
    this.#syncWhenIdle()
    return new Promise((resolve, reject) => {
      this.#held.push({ since: performance.now(), resolve, reject })
    })
  }

  /** Never rejects: those who wait are told. */
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

  /** From here on the caller answers for those held until now. */
  takeWaiters(): { resolve(): void; reject(error: Error): void } {
    const group = this.#held
    this.#held = []
    return {
      resolve: () => {
        for (const held of group) held.resolve()
      },
      reject: (error) => {
        for (const held of group) held.reject(error)
      },
    }
  }

  /** Whoever has the connection by now may think for long between two statements. */
  #syncWhenIdle(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      if (this.#held.length === 0) return
      // In a failed transaction nothing can be run but its end.
      if (this.#engine.busy || this.#engine.status === 'E') this.#syncWhenIdle()
      else void this.sync()
    }, groupLimits.milliseconds)
  }
}
