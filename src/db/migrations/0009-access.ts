// Adds access checks, lets reviews be renamed, and marks runs that are not yet evaluated for
// memories.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table installations
      add column access_check_due timestamptz not null default now() + interval '15 minutes',
      add column access_confirmed_at timestamptz,
      add column access_lost_at timestamptz`.execute(db)
  // Access was never checked before, so everyone gets the same time to sign in again.
  await sql`update installations set access_confirmed_at = now()`.execute(db)
  await sql`
    alter table workflow_runs
      drop constraint workflow_runs_repo_pr_number_fkey,
      add constraint workflow_runs_pull_request foreign key (repo, pr_number)
        references pull_requests (repo, number) on update cascade,
      add column is_learned boolean not null default true`.execute(db)
  await sql`create index workflow_runs_unlearned on workflow_runs (finished_at) where not is_learned`.execute(
    db,
  )
}
