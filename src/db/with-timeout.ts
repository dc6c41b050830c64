// A time limit for an answer of the database, on both engines.
import { databaseErrorCode } from './database-errors.ts'

/** What PostgreSQL says of a statement that ran into its time limit. */
const queryCanceledCode = '57014'

/** Null for what takes longer. The embedded database knows no time limit: there what was begun goes on by itself. */
export async function withTimeout<T>(timeoutMs: number, work: Promise<T>): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(resolve, timeoutMs, null)
  const done = work.catch((error: unknown) => {
    if (databaseErrorCode(error) === queryCanceledCode) return null
    throw error
  })
  done.catch(() => {})
  try {
    return await Promise.race([done, late])
  } finally {
    clearTimeout(timer)
  }
}
