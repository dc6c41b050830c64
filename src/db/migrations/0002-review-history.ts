// Adds what later reviews need to know about the code that earlier ones saw.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table workflow_runs add column seen_lines bytea`.execute(db)
  await sql`alter table findings add column anchor_hash text not null default ''`.execute(db)
}
