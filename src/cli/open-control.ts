// Opens the database for a command, through the running service or directly.
import type { Config } from '../context.ts'
import type { Log } from '../lib/logger.ts'
import type { Control } from '../workflows/control.ts'
import { findRunningService } from './control-client.ts'

/** Opens the control, which can hold the database until it is disposed. Throws UmpireError. */
export async function openControl(config: Config, log: Log): Promise<Control & AsyncDisposable> {
  const service =
    config.database.engine === 'embedded' ? await findRunningService(config.dataDir) : null
  if (service !== null) return { ...service, [Symbol.asyncDispose]: async () => undefined }
  // This loads most of the program, so it is imported only when needed.
  const { openDatabaseControl } = await import('./open-database-control.ts')
  return openDatabaseControl(config, log)
}
