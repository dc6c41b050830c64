// Defines where an embedded database is within its folder.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the folder that contains the files of the database itself. */
export function dataFolderOf(directory: string): string {
  return join(directory, 'data')
}

/** Whether the folder contains a database. */
export function hasDatabase(directory: string): boolean {
  return existsSync(join(dataFolderOf(directory), 'PG_VERSION'))
}
