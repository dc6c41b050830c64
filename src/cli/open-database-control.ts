// Opens the database for a command if no running service holds it.
import { createCredentials } from '../accounts/credentials.ts'
import { completeConfig, openMigratedDatabase } from '../app.ts'
import type { Config } from '../context.ts'
import { hasDatabase } from '../db/database.ts'
import { ConfigError } from '../domain/errors.ts'
import { createHostAccess, indexHosts } from '../host-contexts.ts'
import { createKeyRing } from '../lib/key-ring.ts'
import type { Log } from '../lib/logger.ts'
import { type Control, createControl } from '../workflows/control.ts'
import { explainDatabaseLock } from './explain-database-lock.ts'

/** Opens the database until the control is disposed. Throws UmpireError. */
export async function openDatabaseControl(
  config: Config,
  log: Log,
): Promise<Control & AsyncDisposable> {
  if (config.database.engine === 'embedded' && !hasDatabase(config.database.directory)) {
    throw new ConfigError(
      `There is no database in ${config.dataDir}, and no service runs there: check DATA_DIR.`,
    )
  }
  const { secrets, http } = await completeConfig(config)
  const database = await openMigratedDatabase(config, log).catch((error) => {
    throw explainDatabaseLock(error, config.dataDir)
  })
  const keys = createKeyRing(secrets.current as string, secrets.old)
  const { db } = database
  const stored = { db, keys, log }
  const hosts = config.hosts.map((settings) => ({
    ...stored,
    ...createHostAccess(stored, settings),
    config: { ...config, ...settings },
  }))
  const control = createControl(
    {
      config,
      keys,
      credentials: createCredentials(keys, http.publicUrl),
      hosts: indexHosts(hosts),
    },
    database,
  )
  return { ...control, [Symbol.asyncDispose]: () => database.close() }
}
