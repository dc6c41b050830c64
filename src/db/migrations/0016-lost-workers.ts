// Counts lost workers of reviews and scans, and stores when they were requeued. A later time than
// the current one means that the clock was set back.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table workflow_runs add column losses integer not null default 0, add column put_back_at timestamptz`.execute(
    db,
  )
  await sql`alter table scans add column losses integer not null default 0, add column put_back_at timestamptz`.execute(
    db,
  )
}
