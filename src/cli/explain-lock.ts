// What to say of an embedded database that another process has open.
import { DatabaseFault } from '../db/errors.ts'
import { controlSocketOf } from '../http/contract/control.ts'

/** Whoever has the database open would have been found by its socket: says so. */
export function explainLock(error: unknown, dataDir: string): unknown {
  if (!(error instanceof DatabaseFault) || error.code !== 'database_locked') return error
  const message = `${error.message} It can't be asked at ${controlSocketOf(dataDir)} either: it may be just starting.`
  return new DatabaseFault('database_locked', message, { cause: error })
}
