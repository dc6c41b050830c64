// Reads the version, schema, clock and recent activity of a database.
import { countSealsByKey, type SealCount } from '../../accounts/sealed-secrets.ts'
import { readServiceActivity, type ServiceActivity } from '../../analytics/service-activity.ts'
import type { OpenDatabase } from '../../db/database.ts'
import { type DatabaseState, inspectDatabase } from '../../db/inspect-database.ts'

/** None of these values is secret. */
export interface DatabaseFacts extends DatabaseState {
  /** It is null if the schema isn't that of this program. */
  readonly activity: ServiceActivity | null
  /** Counts stored platform tokens by the key that encrypts them; it is null like `activity`. */
  readonly seals: readonly SealCount[] | null
}

/** Reads the facts without changing anything. */
export async function readDatabaseFacts(
  database: Pick<OpenDatabase, 'db' | 'engine'>,
): Promise<DatabaseFacts> {
  const state = await inspectDatabase(database)
  const isCurrent = state.schema.missing.length + state.schema.unknown.length === 0
  if (!isCurrent) return { ...state, activity: null, seals: null }
  return {
    ...state,
    activity: await readServiceActivity(database.db),
    seals: await countSealsByKey(database.db),
  }
}
