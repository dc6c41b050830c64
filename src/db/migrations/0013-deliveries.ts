// Adds why an event failed without a run, and whether a pull request was confirmed.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table events add column error text`.execute(db)
  await sql`alter table pull_requests add column is_confirmed boolean not null default true`.execute(
    db,
  )
}
