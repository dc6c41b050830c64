// Adds the reported impact of changes to reviews.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table workflow_runs add column reach jsonb`.execute(db)
}
