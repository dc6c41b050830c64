// Keeps a second process out of the folder of an embedded database: two engines in one folder destroy it.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { UmpireDatabaseError } from '../database-errors.ts'

/** Undoes the lock; a process that ends in any way loses it by itself. */
export interface FolderLock {
  release(): void
}

/**
 * Takes the lock of a folder. It is a lock of the operating system on the file `lock` (held through SQLite, the one
 * way to such locks that Node has), so there is no stale lock to clean up after a crash, and no race to take it.
 * `lock.pid` names the holder and is for people only.
 *
 * @throws DatabaseFault `database_locked`
 */
export function lockFolder(directory: string): FolderLock {
  const note = join(directory, 'lock.pid')
  const file = new DatabaseSync(join(directory, 'lock'), { timeout: 0 })
  try {
    file.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    file.close()
    // SQLITE_BUSY; anything else is a broken file system, and says so itself.
    if ((error as { errcode?: number }).errcode !== 5) throw error
    throw new UmpireDatabaseError('database_locked', describeHolder(directory, note), {
      cause: error,
    })
  }
  writeFileSync(note, `${process.pid}\n`)
  return {
    release() {
      rmSync(note, { force: true })
      file.close()
    },
  }
}

function describeHolder(directory: string, note: string): string {
  let holder = 'another process'
  try {
    holder = `the process ${Number.parseInt(readFileSync(note, 'utf8'), 10)}`
  } catch {
    // It is just starting or ending.
  }
  return (
    `The database in ${directory} is in use by ${holder}. Stop it first; ` +
    'to run several processes on one database, set DATABASE_URL to a PostgreSQL server.'
  )
}
