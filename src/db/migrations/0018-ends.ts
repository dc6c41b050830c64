// Adds warnings for the operator, and what completed reviews wait for to run again.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table workflow_runs add column warnings jsonb`.execute(db)
  await sql`
    alter table workflow_runs
      add column redo_when text check (redo_when in ('reopened', 'model'))`.execute(db)
  await sql`create index workflow_runs_redo on workflow_runs (redo_when) where redo_when is not null`.execute(
    db,
  )
}
