// What can be known of a database from inside: its version, its schema, its clock, and what happened lately.
import { countSealsByKey, type SealCount } from '../../accounts/users.ts'
import { readServiceActivity, type ServiceActivity } from '../../analytics/service-activity.ts'
import type { OpenDatabase } from '../../db/database.ts'
import { type DatabaseState, inspectDatabase } from '../../db/inspect-database.ts'

/** The facts; nothing in them is secret. */
export interface DatabaseFacts extends DatabaseState {
  /** Null where the schema isn't that of this program. */
  readonly activity: ServiceActivity | null
  /** Under which keys the platform's tokens are stored; likewise. */
  readonly seals: readonly SealCount[] | null
}

/** Reads the facts, and changes nothing. */
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
