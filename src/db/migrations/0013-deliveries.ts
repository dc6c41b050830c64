// Why an event failed without a run, and which pull requests are known by unsigned deliveries alone.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table events add column error text`.execute(db)
  await sql`alter table pull_requests add column is_confirmed boolean not null default true`.execute(
    db,
  )
}
