// Reaches the database for a command: itself, or through the service that has the embedded one open.
import { createCredentials } from '../accounts/credentials.ts'
import { completeConfig, openMigratedDatabase } from '../app.ts'
import type { Config } from '../config/config.ts'
import { hasDatabase } from '../db/database.ts'
import { DatabaseFault } from '../db/errors.ts'
import { ConfigError } from '../domain/errors.ts'
import { controlSocketOf } from '../http/contract/control.ts'
import { createKeyRing } from '../lib/key-ring.ts'
import type { Log } from '../lib/logger.ts'
import { type Control, createControl } from '../workflows/control.ts'
import { findRunningService } from './control-client.ts'

/** Dispose of it: it may hold the database. Throws UmpireError with what to do about it. */
export async function openControl(config: Config, log: Log): Promise<Control & AsyncDisposable> {
  const service = config.database.engine === 'embedded' ? await findRunningService(config.dataDir) : null
  if (service !== null) return { ...service, [Symbol.asyncDispose]: async () => undefined }
  if (config.database.engine === 'embedded' && !hasDatabase(config.database.directory)) {
    throw new ConfigError(
      `There is no database in ${config.dataDir}, and no service that runs there: is DATA_DIR right?`,
    )
  }
  const { secrets, http } = await completeConfig(config)
  const database = await openMigratedDatabase(config, log).catch((error) => {
    throw explainLock(error, config.dataDir)
  })
  const credentials = createCredentials(createKeyRing(secrets.current as string, secrets.old), http.publicUrl)
  const control = createControl({ config, credentials }, database)
  return { ...control, [Symbol.asyncDispose]: () => database.close() }
}

/** Whoever has the database open would have been found by its socket: says so. */
export function explainLock(error: unknown, dataDir: string): unknown {
  if (!(error instanceof DatabaseFault) || error.code !== 'database_locked') return error
  const message = `${error.message} It can't be asked at ${controlSocketOf(dataDir)} either: it may be just starting.`
  return new DatabaseFault('database_locked', message, { cause: error })
}
