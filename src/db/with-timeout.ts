// Limits how long a caller waits for the database, on both engines.
import { databaseErrorCode } from './database-errors.ts'

/** SQLSTATE of a statement that exceeded its time limit. */
const queryCanceledCode = '57014'

/**
 * Returns null on a timeout. Afterwards work on the embedded engine continues in the background.
 */
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
