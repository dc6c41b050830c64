// `umpire migrate`: brings the schema up to date and says what it did.
import { openMigratedDatabase, openQueue } from '../app.ts'
import { createLogger } from '../lib/logger.ts'
import { listSecrets } from '../review-context.ts'
import { envFileOption, readCommandConfig } from './command-config.ts'
import { parseOptions } from './parse-options.ts'

/** Reads the configuration, migrates, and prints one line. Throws what explains itself. */
export async function migrateDatabase(args: string[]): Promise<void> {
  const { values } = parseOptions(args, envFileOption)
  const config = readCommandConfig(values['env-file'])
  const log = createLogger({ level: config.log.level, secrets: listSecrets(config) })
  await using database = await openMigratedDatabase(config, log)
  await (await openQueue(database, log)).close()
  console.log(`The ${database.engine} database has the schema of this version.`)
}
