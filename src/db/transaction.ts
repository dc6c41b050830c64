// Transactions that are run again when they lost against another one.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import { isTransactionConflict } from './database-errors.ts'

/**
 * Runs `work` in a transaction, and again when the database broke it off for the sake of another one (serialisation
 * failure, deadlock), after a short random wait. `work` must do nothing but database work, and all of it with `tx`.
 *
 * @returns what `work` returned, after the commit
 * @throws the last error when all tries failed; any other error at once
 */
export async function transactionWithRetry<Schema, Result>(
  db: Kysely<Schema>,
  work: (tx: Transaction<Schema>) => Promise<Result>,
  options: {
    isolation?: 'read committed' | 'repeatable read' | 'serializable'
    tries?: number
  } = {},
): Promise<Result> {
  const { isolation, tries = 6 } = options
  const transaction = isolation ? db.transaction().setIsolationLevel(isolation) : db.transaction()
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction.execute(work)
    } catch (error) {
      if (attempt >= tries || !isTransactionConflict(error)) throw error
      await sleep(Math.random() * 10 * 2 ** attempt)
    }
  }
}
