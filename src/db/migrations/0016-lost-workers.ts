// How often reviews and scans lost their worker, and since when they wait: a time in the future tells of a clock that went back.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table workflow_runs add column losses integer not null default 0, add column put_back_at timestamptz`.execute(
    db,
  )
  await sql`alter table scans add column losses integer not null default 0, add column put_back_at timestamptz`.execute(
    db,
  )
}
