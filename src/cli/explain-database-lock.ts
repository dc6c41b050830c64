// What to say of an embedded database that another process has open.
import { UmpireDatabaseError } from '../db/database-errors.ts'
import { controlSocketPath } from '../http/control-schemas.ts'

/** Whoever has the database open would have been found by its socket: says so. */
export function explainDatabaseLock(error: unknown, dataDir: string): unknown {
  if (!(error instanceof UmpireDatabaseError) || error.code !== 'database_locked') return error
  const message = `${error.message} It can't be asked at ${controlSocketPath(dataDir)} either: it may be just starting.`
  return new UmpireDatabaseError('database_locked', message, { cause: error })
}
