// Where an embedded database lies within its folder.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The files of the database itself. */
export function dataFolderOf(directory: string): string {
  return join(directory, 'data')
}

/** Whether a database was made in the folder. */
export function hasDatabase(directory: string): boolean {
  return existsSync(join(dataFolderOf(directory), 'PG_VERSION'))
}
