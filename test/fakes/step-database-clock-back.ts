// A database whose clock went back by an hour: a server's own clock stays as it is, so what is stored moves ahead instead.
import { sql } from 'kysely'
import type { Db } from '../../src/db/database.ts'

export const hourMs = 3_600_000

/** All times that decide when reviews and scans are taken up. */
const timeColumns: Readonly<Record<string, readonly string[]>> = {
  events: ['created_at', 'processed_at'],
  workflow_runs: ['created_at', 'started_at', 'lease_until', 'retry_at', 'put_back_at'],
  scans: ['requested_at', 'started_at', 'lease_until', 'retry_at', 'put_back_at'],
  pull_requests: ['last_event_at', 'updated_at', 'state_as_of', 'state_checked_at'],
  'pgboss.job': ['created_on', 'start_after', 'started_on'],
}

/** Dates what is stored an hour ahead: as the database sees it after its clock went back by that. */
export async function stepDatabaseClockBack(db: Db): Promise<void> {
  for (const [table, columns] of Object.entries(timeColumns)) {
    const moved = columns.map(
      (column) => sql`${sql.ref(column)} = ${sql.ref(column)} + interval '1 hour'`,
    )
    await sql`update ${sql.table(table)} set ${sql.join(moved)}`.execute(db)
  }
}
