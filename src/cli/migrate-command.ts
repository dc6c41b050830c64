// Runs `umpire migrate`, which brings the database schema up to date.
import { openMigratedDatabase } from '../app.ts'
import { envFileOption, readCommandConfig } from './command-config.ts'
import { exitCode } from './exit-codes.ts'
import { parseOptions } from './parse-options.ts'

/** Migrates the configured database and prints one line. */
export async function run(args: string[]): Promise<number> {
  const { values } = parseOptions(args, envFileOption)
  const { config, log } = await readCommandConfig(values['env-file'])
  await using database = await openMigratedDatabase(config, log)
  console.log(`The schema of the ${database.engine} database is up to date.`)
  return exitCode.ok
}
