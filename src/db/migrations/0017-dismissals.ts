// Adds dismissals, the data to decide a verdict again, and when threads were checked.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table dismissals (
      repo text not null,
      pr_number integer not null,
      fingerprint text not null,
      reopened integer not null,
      login text not null,
      via text not null check (via in ('thread', 'api')),
      reason text not null default '',
      created_at timestamptz not null default now(),
      primary key (repo, pr_number, fingerprint, reopened)
    )`.execute(db)
  await sql`alter table findings add column removed boolean not null default false`.execute(db)
  await sql`alter table workflow_runs add column basis jsonb`.execute(db)
  await sql`alter table pull_requests add column threads_checked_at timestamptz`.execute(db)
  // Few pull requests are open, and the check of threads reads no others.
  await sql`
    create index pull_requests_open on pull_requests (threads_checked_at nulls first)
    where state = 'open' and reviewed_run_id is not null`.execute(db)
}
