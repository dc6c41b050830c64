// `umpire migrate`: brings the schema up to date and says what it did.
import { openMigratedDatabase, openQueue } from '../app.ts'
import { readConfig } from '../config/env.ts'
import { createLogger } from '../lib/logger.ts'
import { listSecrets } from '../review-context.ts'

/** Reads the configuration, migrates, and prints one line. Throws UmpireError with what to do about it. */
export async function migrateDatabase(): Promise<void> {
  const config = readConfig()
  const log = createLogger({ level: config.log.level, secrets: listSecrets(config) })
  await using database = await openMigratedDatabase(config, log)
  await (await openQueue(database, log)).close()
  console.log(`The ${database.engine} database has the schema of this version.`)
}
