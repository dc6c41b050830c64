// Gives exclusive use of the embedded database's only connection, as a client of a `pg` pool does.
import { UmpireDatabaseError } from '../database-errors.ts'
import type { StatementOptions } from './embedded-thread.ts'
import type { WireReply } from './engine.ts'
import { emptyResult, type QueryResult, readResult, toPgError } from './query-result.ts'

export interface LeaseOwner {
  isHeldBy(lease: ConnectionLease): boolean
  /** Waits in the queue for exclusive use again. */
  reacquire(lease: ConnectionLease): Promise<void>
  run(text: string, values: readonly unknown[], options: StatementOptions): Promise<WireReply>
  /** Whether a statement commits and may share its flush to the disk with others. */
  canDeferSync(text: string, values: readonly unknown[]): boolean
  /** Resolves when all commits so far are on the disk. Others may use the connection meanwhile. */
  waitForSync(lease: ConnectionLease, lazy: boolean): Promise<void>
  /** Rolls back an open transaction. Does nothing if the lease isn't held. */
  returnLease(lease: ConnectionLease): void
}

export class ConnectionLease {
  readonly #owner: LeaseOwner
  #ended: Error | null = null
  /** Whether a transaction was requested whose first statement is still missing. */
  #hasPendingBegin = false
  #reacquiring: Promise<void> | null = null
  /** When it was last used, by the clock of `performance.now()`. */
  usedAt = performance.now()

  constructor(owner: LeaseOwner) {
    this.#owner = owner
  }

  /**
   * Runs a statement. Several statements in one text, without values, give several results.
   *
   * @throws pg.DatabaseError when a statement failed, UmpireDatabaseError when the database failed
   */
  async query(text: string, values: readonly unknown[] = []): Promise<QueryResult | QueryResult[]> {
    if (!this.#owner.isHeldBy(this)) await this.#reacquire()
    if (this.#ended) {
      this.#owner.returnLease(this)
      throw this.#ended
    }
    this.usedAt = performance.now()
    if (this.#isPostponed(text)) {
      this.#hasPendingBegin = text === 'begin'
      return emptyResult(text.toUpperCase())
    }
    const reply = await this.#run(text, values)
    if (reply.error) throw toPgError(reply.error)
    const results = reply.results.map(readResult)
    return results.length > 1 ? results : (results[0] ?? emptyResult(''))
  }

  /**
   * `begin` is sent together with the first statement of its transaction, which saves one exchange
   * with the thread. The end of a transaction without statements isn't sent at all.
   */
  #isPostponed(text: string): boolean {
    if (this.#hasPendingBegin) return text === 'commit' || text === 'rollback'
    return text === 'begin'
  }

  async #run(text: string, values: readonly unknown[]): Promise<WireReply> {
    const begin = this.#hasPendingBegin
    this.#hasPendingBegin = false
    const lazy = !begin && this.#owner.canDeferSync(text, values)
    const reply = await this.#owner.run(text, values, { begin, lazy })
    this.usedAt = performance.now()
    // Errors wait as well: one for a duplicate, say, reveals a row that may not be on the disk yet.
    if (reply.status === 'I') await this.#owner.waitForSync(this, lazy)
    return reply
  }

  /** After a commit, others may hold the connection. Concurrent statements share one wait. */
  #reacquire(): Promise<void> {
    if (this.#ended) return Promise.reject(this.#ended)
    this.#reacquiring ??= this.#owner.reacquire(this).finally(() => {
      this.#reacquiring = null
    })
    return this.#reacquiring
  }

  release(): void {
    this.#ended ??= new Error('The connection was released already.')
    this.#owner.returnLease(this)
  }

  /** Takes the connection from a holder that has been idle for too long. */
  revoke(): void {
    this.#ended ??= new UmpireDatabaseError(
      'database_transaction_idle',
      'A transaction was idle for too long and was rolled back.',
    )
    this.#owner.returnLease(this)
  }
}
