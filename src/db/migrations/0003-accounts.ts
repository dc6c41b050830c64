// Credentials, audit and reservations of accounts; and what the reviews list and the insights read of a pull request.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await addAccounts(db)
  await addListing(db)
  await addReviewOutcome(db)
}

async function addAccounts(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table tokens (
      id uuid primary key,
      user_id bigint not null references users (id) on delete cascade,
      kind text not null check (kind in ('session', 'api')),
      name text not null default '',
      grants_admin boolean not null default false,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      last_used_at timestamptz,
      revoked_at timestamptz
    )`.execute(db)
  await sql`create index tokens_user on tokens (user_id)`.execute(db)
  await sql`
    create table used_sign_in_states (
      digest bytea primary key,
      expires_at timestamptz not null
    )`.execute(db)
  await sql`
    create table repository_reservations (
      repo text primary key,
      holder uuid not null,
      expires_at timestamptz not null
    )`.execute(db)
  await sql`
    create table audit_log (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      user_id bigint references users (id) on delete set null,
      login text not null,
      action text not null,
      subject text not null default ''
    )`.execute(db)
  await sql`create index audit_log_user on audit_log (user_id, id desc)`.execute(db)
  await sql`create index installations_user on installations (user_id)`.execute(db)
  // Platforms make no difference between spellings of a repository's name.
  await sql`drop index installations_active`.execute(db)
  await sql`
    create unique index installations_active on installations (lower(repo_full_name), user_id)
    where is_active`.execute(db)
}

/** Each pull request names the one event that stands for it in the list, so that the list never reads the others. */
async function addListing(db: Kysely<unknown>): Promise<void> {
  await sql`alter table events add column duplicates integer not null default 0`.execute(db)
  await sql`drop index events_pull_request`.execute(db)
  await sql`
    create index events_by_rank on events (repo, pr_number,
      (case status when 'completed' then 4 when 'failed' then 3 when 'processing' then 2 else 1 end) desc, id desc)
    where pr_number is not null`.execute(db)
  await sql`create index events_repo on events (repo, id desc)`.execute(db)
  await sql`
    alter table pull_requests
      add column state_as_of timestamptz,
      add column state_checked_at timestamptz,
      add column listed_event_id bigint,
      add column listed_status text,
      add column last_event_at timestamptz`.execute(db)
  await sql`
    update pull_requests p set
      state_as_of = updated_at,
      (listed_event_id, listed_status) = (
        select id, status from events e where e.repo = p.repo and e.pr_number = p.number
        order by case status when 'completed' then 4 when 'failed' then 3 when 'processing' then 2 else 1 end desc,
          id desc
        limit 1),
      last_event_at = (select max(created_at) from events e where e.repo = p.repo and e.pr_number = p.number)`.execute(
    db,
  )
  await sql`create index pull_requests_listed on pull_requests (listed_event_id desc)`.execute(db)
  await sql`create index pull_requests_repo on pull_requests (repo, listed_event_id desc)`.execute(db)
  await sql`create index pull_requests_status on pull_requests (listed_status, listed_event_id desc)`.execute(db)
  await sql`create index pull_requests_state on pull_requests (state, listed_event_id desc)`.execute(db)
  await sql`create index pull_requests_active on pull_requests (last_event_at)`.execute(db)
  await sql`create index pull_requests_merged on pull_requests (merged_at)`.execute(db)
}

/** What the latest completed review of each pull request came to. */
async function addReviewOutcome(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table pull_requests
      add column reviewed_run_id bigint references workflow_runs (id),
      add column verdict text,
      add column confidence integer,
      add column critical_count integer not null default 0,
      add column moderate_count integer not null default 0,
      add column minor_count integer not null default 0`.execute(db)
  await sql`
    update pull_requests p set reviewed_run_id = r.id, verdict = r.verdict, confidence = r.confidence,
      critical_count = (select count(*) from findings f
        where f.last_run_id = r.id and f.state = 'open' and f.severity = 'critical'),
      moderate_count = (select count(*) from findings f
        where f.last_run_id = r.id and f.state = 'open' and f.severity = 'moderate'),
      minor_count = (select count(*) from findings f
        where f.last_run_id = r.id and f.state = 'open' and f.severity = 'minor')
    from (
      select distinct on (repo, pr_number) id, repo, pr_number, verdict, confidence from workflow_runs
      where status = 'completed' and verdict is not null
      order by repo, pr_number, id desc) r
    where r.repo = p.repo and r.pr_number = p.number`.execute(db)
}
