// Reads the version, schema, clock and recent activity of a database.
import { listAppInstallations } from '../../accounts/app-installations.ts'
import { listSealedApps } from '../../accounts/platform-apps.ts'
import { countSealsByKey, type SealCount } from '../../accounts/sealed-secrets.ts'
import { listStoredHosts } from '../../accounts/stored-hosts.ts'
import { readServiceActivity, type ServiceActivity } from '../../analytics/service-activity.ts'
import type { Db, OpenDatabase } from '../../db/database.ts'
import { type DatabaseState, inspectDatabase } from '../../db/inspect-database.ts'
import type { Row } from '../../db/schema.ts'

/** None of these values is secret, or readable without the secret key. */
export interface DatabaseFacts extends DatabaseState {
  /** It is null if the schema isn't that of this program. */
  readonly activity: ServiceActivity | null
  /** Counts stored platform tokens by the key that encrypts them; it is null like `activity`. */
  readonly seals: readonly SealCount[] | null
  /** The Apps of this deployment; it is null like `activity`. */
  readonly apps: readonly AppFacts[] | null
  /** The code hosts that it has data of; it is null like `activity`. */
  readonly hosts: readonly Row<'codeHosts'>[] | null
}

export interface AppFacts {
  /** It is the id of the platform. */
  readonly source: string
  readonly name: string
  readonly clientId: string
  /** In base64. Only the secret key decrypts them. */
  readonly encryptedSecrets: string
  readonly installations: readonly {
    readonly account: string
    readonly isSuspended: boolean
    /** Counts those that are connected through it. */
    readonly repositories: number
  }[]
}

/** Reads the facts without changing anything. */
export async function readDatabaseFacts(
  database: Pick<OpenDatabase, 'db' | 'engine'>,
): Promise<DatabaseFacts> {
  const state = await inspectDatabase(database)
  const isCurrent = state.schema.missing.length + state.schema.unknown.length === 0
  if (!isCurrent) return { ...state, activity: null, seals: null, apps: null, hosts: null }
  return {
    ...state,
    activity: await readServiceActivity(database.db),
    seals: await countSealsByKey(database.db),
    apps: await readApps(database.db),
    hosts: await listStoredHosts(database.db),
  }
}

async function readApps(db: Db): Promise<AppFacts[]> {
  const apps = await listSealedApps(db)
  const installations = await Promise.all(
    apps.map(({ source }) => listAppInstallations(db, source)),
  )
  return apps.map((app, index) => ({
    ...app,
    encryptedSecrets: app.encryptedSecrets.toString('base64'),
    installations: installations[index]!.map(({ accountLogin, suspendedAt, repositories }) => ({
      account: accountLogin,
      isSuspended: suspendedAt !== null,
      repositories,
    })),
  }))
}
