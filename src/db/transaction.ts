// Runs transactions, and repeats those that conflict with another one.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import { isTransactionConflict } from './database-errors.ts'

/**
 * Runs `work` in a transaction. Repeats it after a short random wait when it conflicts with another
 * transaction (serialization failure, deadlock), so `work` must do nothing but database work with
 * `tx`.
 *
 * @returns the result of `work`, after the commit
 * @throws the last conflict when all attempts failed; any other error at once
 */
export async function transactionWithRetry<Schema, Result>(
  db: Kysely<Schema>,
  work: (tx: Transaction<Schema>) => Promise<Result>,
  options: {
    isolation?: 'read committed' | 'repeatable read' | 'serializable'
    maxAttempts?: number
  } = {},
): Promise<Result> {
  const { isolation, maxAttempts = 6 } = options
  const transaction = isolation ? db.transaction().setIsolationLevel(isolation) : db.transaction()
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction.execute(work)
    } catch (error) {
      if (attempt >= maxAttempts || !isTransactionConflict(error)) throw error
      await sleep(Math.random() * 10 * 2 ** attempt)
    }
  }
}
