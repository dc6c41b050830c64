// Whether the platform still lets people see what they connected; and reviews that can be moved to another name.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table installations
      add column access_check_due timestamptz not null default now() + interval '15 minutes',
      add column access_confirmed_at timestamptz,
      add column access_lost_at timestamptz`.execute(db)
  await sql`
    alter table workflow_runs
      drop constraint workflow_runs_repo_pr_number_fkey,
      add constraint workflow_runs_pull_request foreign key (repo, pr_number)
        references pull_requests (repo, number) on update cascade`.execute(db)
}
