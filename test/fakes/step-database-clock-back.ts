// Simulates a database clock that went back by an hour by moving the stored times ahead.
import { sql } from 'kysely'
import type { Db } from '../../src/db/database.ts'

export const hourMs = 3_600_000

/** All times that decide when reviews and scans are claimed. */
const timeColumns: Readonly<Record<string, readonly string[]>> = {
  events: ['created_at', 'processed_at'],
  work_items: ['created_at', 'due_at', 'scheduled_at'],
  workflow_runs: ['created_at', 'started_at'],
  scans: ['requested_at', 'started_at'],
  pull_requests: ['last_event_at', 'updated_at', 'state_as_of', 'state_checked_at'],
}

/** Moves the stored times an hour ahead, as they look after the clock went back. */
export async function stepDatabaseClockBack(db: Db): Promise<void> {
  for (const [table, columns] of Object.entries(timeColumns)) {
    const moved = columns.map(
      (column) => sql`${sql.ref(column)} = ${sql.ref(column)} + interval '1 hour'`,
    )
    await sql`update ${sql.table(table)} set ${sql.join(moved)}`.execute(db)
  }
}
