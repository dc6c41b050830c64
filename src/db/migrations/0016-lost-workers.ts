// How often reviews and scans lost their worker.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table workflow_runs add column losses integer not null default 0`.execute(db)
  await sql`alter table scans add column losses integer not null default 0`.execute(db)
}
