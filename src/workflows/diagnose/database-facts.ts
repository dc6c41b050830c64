// What can be known of a database from inside: its version, its schema, its clock, and what happened lately.
import { type Activity, readActivity } from '../../analytics/activity.ts'
import type { OpenDatabase } from '../../db/database.ts'
import { type DatabaseState, inspectDatabase } from '../../db/inspect.ts'

/** The facts; nothing in them is secret. */
export interface DatabaseFacts extends DatabaseState {
  /** Null where the schema isn't that of this program. */
  readonly activity: Activity | null
}

/** Reads the facts, and changes nothing. */
export async function readDatabaseFacts(database: Pick<OpenDatabase, 'db' | 'engine'>): Promise<DatabaseFacts> {
  const state = await inspectDatabase(database)
  const isCurrent = state.schema.missing.length + state.schema.unknown.length === 0
  return { ...state, activity: isCurrent ? await readActivity(database.db) : null }
}
