// Reads the status of the database, through the running service or directly.
import type { Config } from '../context.ts'
import { hasDatabase, openDatabase } from '../db/database.ts'
import { type DatabaseFacts, readDatabaseFacts } from '../workflows/diagnose/database-facts.ts'
import type { DatabaseReading } from '../workflows/diagnose/setup.ts'
import { findRunningService } from './control-client.ts'
import { explainDatabaseLock } from './explain-database-lock.ts'

const silentLog = { info() {}, warn() {}, error() {} }

/** @throws UmpireError if the database can't be opened */
export async function readDatabaseStatus(
  { database, dataDir }: Config,
  signal: AbortSignal,
): Promise<DatabaseReading> {
  if (database.engine === 'embedded') {
    const service = await findRunningService(dataDir, signal)
    if (service !== null) return { facts: await service.readDatabase(), heldBy: service.pid }
    if (!hasDatabase(database.directory)) return { facts: null, heldBy: null }
  }
  return { facts: await readUnopenedDatabase(database, dataDir), heldBy: null }
}

async function readUnopenedDatabase(
  config: Config['database'],
  dataDir: string,
): Promise<DatabaseFacts> {
  await using database = await openDatabase(config, silentLog).catch((error) => {
    throw explainDatabaseLock(error, dataDir)
  })
  return await readDatabaseFacts(database)
}
