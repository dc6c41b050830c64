// Reaches the database for a command: through the service that has the embedded one open, or itself.
import type { Config } from '../config/config.ts'
import type { Log } from '../lib/logger.ts'
import type { Control } from '../workflows/control.ts'
import { findRunningService } from './control-client.ts'

/** Dispose of it: it may hold the database. Throws UmpireError with what to do about it. */
export async function openControl(config: Config, log: Log): Promise<Control & AsyncDisposable> {
  const service =
    config.database.engine === 'embedded' ? await findRunningService(config.dataDir) : null
  if (service !== null) return { ...service, [Symbol.asyncDispose]: async () => undefined }
  // Three quarters of what the program consists of, which a question to a service doesn't need.
  const { openDatabaseControl } = await import('./open-database-control.ts')
  return openDatabaseControl(config, log)
}
