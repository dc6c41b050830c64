// Exclusive use of the embedded database's one connection, in the shape of a client of `pg`'s pool.
import { UmpireDatabaseError } from '../database-errors.ts'
import type { StatementOptions } from './embedded-thread.ts'
import type { WireReply } from './engine.ts'
import { emptyResult, type QueryResult, readResult, toPgError } from './query-result.ts'

/** What a lease needs of those who gave it. */
export interface LeaseOwner {
  isHeldBy(lease: ConnectionLease): boolean
  /** Waits for its turn again. */
  reacquire(lease: ConnectionLease): Promise<void>
  run(text: string, values: readonly unknown[], ways: StatementOptions): Promise<WireReply>
  /** Whether a statement commits, and may share its way to the disk with others. */
  canDeferSync(text: string, values: readonly unknown[]): boolean
  /** Resolves when all that was committed so far is on the disk; others may have their turn before. */
  waitForSync(lease: ConnectionLease, lazy: boolean): Promise<void>
  /** Ends what is left open. Does nothing for a lease that isn't held. */
  returnLease(lease: ConnectionLease): void
}

export class ConnectionLease {
  readonly #lessor: LeaseOwner
  #ended: Error | null = null
  /** A transaction was asked for, but no statement of it yet. */
  #begun = false
  #turn: Promise<void> | null = null
  /** On the clock of `performance.now()`. */
  usedAt = performance.now()

  constructor(lessor: LeaseOwner) {
    this.#lessor = lessor
  }

  /**
   * Runs a statement; several, without values, give several results.
   *
   * @throws pg.DatabaseError when the statement failed, DatabaseFault when the database did
   */
  async query(text: string, values: readonly unknown[] = []): Promise<QueryResult | QueryResult[]> {
    if (!this.#lessor.isHeldBy(this)) await this.#regain()
    if (this.#ended) {
      this.#lessor.returnLease(this)
      throw this.#ended
    }
    this.usedAt = performance.now()
    // Sent with the first statement of the transaction: one way to the thread and back less.
    if (text === 'begin' && !this.#begun) return this.#note('BEGIN')
    if (this.#begun && (text === 'commit' || text === 'rollback'))
      return this.#note(text.toUpperCase())
    const begin = this.#begun
    this.#begun = false
    const lazy = !begin && this.#lessor.canDeferSync(text, values)
    const reply = await this.#lessor.run(text, values, { begin, lazy })
    this.usedAt = performance.now()
    // An error too can tell of something that is not on the disk yet: of a duplicate, say.
    if (reply.status === 'I') await this.#lessor.waitForSync(this, lazy)
    if (reply.error) throw toPgError(reply.error)
    const results = reply.results.map(readResult)
    return results.length > 1 ? results : (results[0] ?? emptyResult(''))
  }

  /** After a commit others had their turn; several statements at once wait for the same one. */
  #regain(): Promise<void> {
    if (this.#ended) return Promise.reject(this.#ended)
    this.#turn ??= this.#lessor.reacquire(this).finally(() => {
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
    this.#lessor.returnLease(this)
  }

  /** Takes it away from a holder that does nothing. */
  revoke(): void {
    this.#ended ??= new UmpireDatabaseError(
      'database_transaction_idle',
      'A transaction that did nothing was rolled back.',
    )
    this.#lessor.returnLease(this)
  }
}
