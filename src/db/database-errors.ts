// What went wrong in the database, told apart by what a caller can do about it.
import { UmpireError } from '../domain/errors.ts'

export type DatabaseErrorCode =
  | 'database_unavailable' // no server there, or it went away; retryable
  | 'database_refused' // a server is there, but doesn't let us in
  | 'database_stopped' // the embedded engine broke or was closed; start the program again
  | 'database_locked' // another process has the embedded folder open
  | 'database_version' // the folder or server has another PostgreSQL version
  | 'database_newer' // the schema was written by a newer version of this program
  | 'database_unsafe' // what is written would not reach the disk
  | 'database_disk_full' // hardly any space left
  | 'database_nested' // a query beside the transaction, which would wait for itself
  | 'database_transaction_idle' // a transaction did nothing for too long and was rolled back

/** A problem of the database as a whole. What a single statement did wrong is a `pg.DatabaseError` on both engines. */
export class UmpireDatabaseError extends UmpireError {
  declare readonly code: DatabaseErrorCode

  constructor(code: DatabaseErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(code, message, { ...options, retryable: code === 'database_unavailable' })
  }
}

/** SQLSTATE of a failed statement, errno of a failed connection, or our own code; undefined for other errors. */
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
const unavailableMessages =
  /^(Connection terminated|Query read timeout|timeout (expired|exceeded when trying to connect)|Client has encountered a connection error|Cannot use a pool after calling end|Client was closed)/

/**
 * Whether the database itself can't be reached or can't work now: nothing is wrong with the request, it may be sent
 * again. SQLSTATE classes 08 (connection), 53 (out of resources), 57P (shutdown, crash, starting) and 58 (system
 * error), and 25006 (takes no writes: we were led to a standby); PostgreSQL manual, appendix A.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = databaseErrorCode(error)
  if (code !== undefined)
    return unavailableCodes.has(code) || /^((08|53|57P|58)[0-9A-Z]{2,3}|25006)$/.test(code)
  return error instanceof Error && unavailableMessages.test(error.message)
}

/** Whether the transaction lost against another one and succeeds when it is run again (40001, 40P01). */
export function isTransactionConflict(error: unknown): boolean {
  const code = databaseErrorCode(error)
  return code === '40001' || code === '40P01'
}
