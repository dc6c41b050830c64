// Explains that the embedded database is locked by a process that can't be reached.
import { UmpireDatabaseError } from '../db/database-errors.ts'
import { controlSocketPath } from '../http/control-endpoints.ts'

/** Adds to a lock error that the control socket doesn't answer. Returns other errors unchanged. */
export function explainDatabaseLock(error: unknown, dataDir: string): unknown {
  if (!(error instanceof UmpireDatabaseError) || error.code !== 'database_locked') return error
  const socketPath = controlSocketPath(dataDir)
  const message =
    `${error.message} The process can't be reached at ${socketPath}: ` +
    'if it is just starting, try again.'
  return new UmpireDatabaseError('database_locked', message, { cause: error })
}
