// Runs `umpire migrate`, which brings the database schema up to date.
import { moveStoredHost } from '../accounts/stored-hosts.ts'
import { openMigratedDatabase } from '../app.ts'
import { ConfigError } from '../domain/errors.ts'
import { envFileOption, readCommandConfig } from './command-config.ts'
import { exitCode, UsageError } from './exit-codes.ts'
import { parseOptions } from './parse-options.ts'

export const usage = `Usage: umpire migrate [--moved <id>] [--env-file <file>]

  --moved <id>       the code host with this id has moved to the address that is configured; tokens
                     and names that are stored are used there from now on
  --env-file <file>  read variables that the environment does not set from this file`

/** Migrates the configured database and prints a line for each thing that it did. */
export async function run(args: string[]): Promise<number> {
  const { values } = parseOptions(args, { moved: { type: 'string' }, ...envFileOption })
  const { config, log } = await readCommandConfig(values['env-file'])
  const moved = config.hosts.find(({ platform }) => platform.id === values.moved)?.platform
  if (values.moved !== undefined && moved === undefined) {
    const ids = config.hosts.map(({ platform }) => platform.id).join(', ')
    throw new UsageError(`--moved needs the id of a configured code host: ${ids}`)
  }
  await using database = await openMigratedDatabase(config, log)
  console.log(`The schema of the ${database.engine} database is up to date.`)
  if (moved === undefined) return exitCode.ok
  const former = await moveStoredHost(database.db, moved)
  if (former === undefined) {
    throw new ConfigError(
      `The database does not know the code host ${moved.id}: start the service.`,
    )
  }
  console.log(`The code host ${moved.id} has moved from ${former} to ${moved.url}.`)
  return exitCode.ok
}
