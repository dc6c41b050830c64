// Locks the folder of an embedded database, because two engines in one folder would destroy it.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { UmpireDatabaseError } from '../database-errors.ts'

/** The operating system releases the lock when the process ends. */
export interface FolderLock {
  release(): void
}

/**
 * Locks a folder through an operating system lock on the file `lock`. SQLite holds it, because Node
 * has no other way to such locks. It needs no cleanup after a crash. The file `lock.pid` names the
 * holder for error messages.
 *
 * @throws UmpireDatabaseError `database_locked`
 */
export function lockFolder(directory: string): FolderLock {
  const pidFile = join(directory, 'lock.pid')
  const lockFile = new DatabaseSync(join(directory, 'lock'), { timeout: 0 })
  try {
    lockFile.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    lockFile.close()
    const sqliteBusy = 5
    if ((error as { errcode?: number }).errcode !== sqliteBusy) throw error
    throw new UmpireDatabaseError('database_locked', describeHolder(directory, pidFile), {
      cause: error,
    })
  }
  writeFileSync(pidFile, `${process.pid}\n`)
  return {
    release() {
      rmSync(pidFile, { force: true })
      lockFile.close()
    },
  }
}

function describeHolder(directory: string, pidFile: string): string {
  let holder = 'another process'
  try {
    holder = `the process ${Number.parseInt(readFileSync(pidFile, 'utf8'), 10)}`
  } catch {
    // The file is missing while the holder starts or ends.
  }
  return (
    `The database in ${directory} is in use by ${holder}. Stop it first; ` +
    'to run several processes on one database, set DATABASE_URL to a PostgreSQL server.'
  )
}
