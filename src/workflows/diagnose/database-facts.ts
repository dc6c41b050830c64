// What can be known of a database from inside: its version, its schema, its clock, and what happened lately.
import { listSeals, type Seals } from '../../accounts/users.ts'
import { type Activity, readActivity } from '../../analytics/activity.ts'
import type { OpenDatabase } from '../../db/database.ts'
import { type DatabaseState, inspectDatabase } from '../../db/inspect.ts'

/** The facts; nothing in them is secret. */
export interface DatabaseFacts extends DatabaseState {
  /** Null where the schema isn't that of this program. */
  readonly activity: Activity | null
  /** Under which keys the platform's tokens are stored; likewise. */
  readonly seals: readonly Seals[] | null
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
    activity: await readActivity(database.db),
    seals: await listSeals(database.db),
  }
}
