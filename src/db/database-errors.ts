// Classifies errors of the database by what a caller can do about them.
import { UmpireError } from '../domain/errors.ts'

type DatabaseErrorCode =
  | 'database_unavailable' // the server can't be reached or disconnected; retryable
  | 'database_refused' // the server rejects our user, password or database
  | 'database_stopped' // the embedded engine broke or was closed; start the program again
  | 'database_locked' // another process has the embedded folder open
  | 'database_version' // the folder or server has a PostgreSQL version that isn't supported
  | 'database_newer' // a newer version of this program has migrated the schema
  | 'database_older' // the schema is too old for this program to migrate it
  | 'database_edited' // a migration of this schema differs from this program's
  | 'database_unsafe' // a check found that commits don't reach the disk
  | 'database_disk_full' // less free space is left on the disk than the database needs
  | 'database_nested' // a query must use the transaction that its caller has open
  | 'database_transaction_idle' // a transaction was idle for too long and was rolled back

/**
 * A problem of the database as a whole. A failed statement is a `pg.DatabaseError` on both engines.
 */
export class UmpireDatabaseError extends UmpireError {
  declare readonly code: DatabaseErrorCode

  constructor(code: DatabaseErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(code, message, { ...options, retryable: code === 'database_unavailable' })
  }
}

/**
 * Returns the code of an error: the SQLSTATE of a failed statement, the errno name of a failed
 * connection, or the code of an `UmpireError`. Returns undefined for errors without a code.
 */
export function databaseErrorCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' ? code : undefined
}

const unavailableCodes = new Set([
  'database_unavailable',
  'database_stopped',
  'database_disk_full',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT', // the unix socket of a server that isn't running
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

// `pg` reports these without a code.
const unavailableMessages = new RegExp(
  `^(${[
    'Connection terminated',
    'Query read timeout',
    'timeout (expired|exceeded when trying to connect)',
    'Client has encountered a connection error',
    'Cannot use a pool after calling end',
    'Client was closed',
  ].join('|')})`,
)

/**
 * Whether the database can't be reached or can't work at the moment, so the request may be
 * repeated. SQLSTATE classes 08 (connection), 53 (out of resources), 57P (shutdown, crash,
 * starting) and 58 (system error), and 25006 (read-only, as on a standby); PostgreSQL manual,
 * appendix A.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = databaseErrorCode(error)
  if (code !== undefined)
    return unavailableCodes.has(code) || /^((08|53|57P|58)[0-9A-Z]{2,3}|25006)$/.test(code)
  return error instanceof Error && unavailableMessages.test(error.message)
}

/** Whether the transaction conflicted with another one and may be repeated (40001, 40P01). */
export function isTransactionConflict(error: unknown): boolean {
  const code = databaseErrorCode(error)
  return code === '40001' || code === '40P01'
}
