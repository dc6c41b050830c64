// Adds credentials, audit log and reservations, and columns for the reviews list and the insights.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await addAccounts(db)
  await addListing(db)
  await addSearch(db)
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
      expires_at timestamptz not null,
      webhook_secret text
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
  await sql`alter table installations add column platform_repo_id text`.execute(db)
  // Platforms ignore the case of repository names.
  await sql`drop index installations_active`.execute(db)
  await sql`
    create unique index installations_active on installations (lower(repo_full_name), user_id)
    where is_active`.execute(db)
}

/** Each pull request refers to its listed event, so that the list doesn't read its other events. */
async function addListing(db: Kysely<unknown>): Promise<void> {
  await sql`alter table events add column duplicates integer not null default 0`.execute(db)
  await sql`drop index events_pull_request`.execute(db)
  await sql`
    create index events_by_rank on events (repo, pr_number,
      (case status when 'completed' then 4 when 'failed' then 3 when 'processing' then 2 else 1 end) desc, id desc)
    where pr_number is not null`.execute(db)
  await sql`create index events_repo on events (repo, id)`.execute(db)
  // Other statuses are found quickly without an index, and a new event then writes no entry here.
  const rare = sql`where status in ('processing', 'failed')`
  await sql`create index events_rare on events (status, id) ${rare}`.execute(db)
  await sql`create index events_rare_repo on events (repo, status, id) ${rare}`.execute(db)
  await sql`
    alter table pull_requests
      add column search_text text collate "C" not null default '',
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
  // Leaves space for a new version of a row next to the old one, which needs no new index entries.
  await sql`alter table pull_requests set (fillfactor = 80)`.execute(db)
  // The indexes are in the list's order for each state and status, with and without the repository.
  // A new row without a listed event is left out until it has one.
  const listed = sql`where listed_event_id is not null`
  for (const column of ['state', 'listed_status']) {
    const lane = sql.ref(column)
    await sql`
      create index ${sql.ref(`pull_requests_${column}`)}
      on pull_requests (${lane}, listed_event_id) ${listed}`.execute(db)
    // The index covers all conditions on a lane, so that it is read in order without other rows.
    await sql`
      create index ${sql.ref(`pull_requests_repo_${column}`)}
      on pull_requests (repo, ${lane}, listed_event_id) include (number) ${listed}`.execute(db)
  }
  await sql`
    create index pull_requests_unannounced on pull_requests (merged_at)
    where merged_at > last_event_at`.execute(db)
}

/**
 * A separate table for the searched texts, because its index is costly to write and the texts
 * hardly ever change. The embedded engine lacks the extension for the index, so it reads all texts.
 */
async function addSearch(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table pull_request_search (
      repo text not null,
      number integer not null,
      text text collate "C" not null,
      primary key (repo, number)
    )`.execute(db)
  await sql`
    do $$
    begin
      create extension if not exists pg_trgm;
      create index pull_request_search_text on pull_request_search using gin (text gin_trgm_ops);
    exception when insufficient_privilege or undefined_file or feature_not_supported or undefined_object then
      raise notice 'The extension pg_trgm is not available: searching takes longer';
    end $$`.execute(db)
  await fillSearch(db)
}

/** Folds case here and later in events/search-text.ts, independent of the database's locale. */
async function fillSearch(db: Kysely<unknown>): Promise<void> {
  let last = { repo: '', number: 0 }
  for (;;) {
    const { rows } = await sql<{ repo: string; number: number; title: string }>`
      select repo, number, title from pull_requests
      where (repo, number) > (${last.repo}, ${last.number}) order by repo, number limit 1000`.execute(
      db,
    )
    if (rows.length === 0) return
    await sql`
      with new as (
        select * from unnest(${rows.map((row) => row.repo)}::text[], ${rows.map((row) => row.number)}::int[],
          ${rows.map(composeSearchText)}::text[]) as new (repo, number, text)
      ), beside as (
        insert into pull_request_search (repo, number, text) select * from new
      )
      update pull_requests p set search_text = new.text from new
      where p.repo = new.repo and p.number = new.number`.execute(db)
    last = rows.at(-1) as (typeof rows)[number]
  }
}

function composeSearchText({
  title,
  repo,
  number,
}: {
  title: string
  repo: string
  number: number
}): string {
  const fields = [title, repo, String(number)]
  return fields.map((field) => field.toLowerCase().replaceAll('\u001f', '\ufffd')).join('\u001f')
}

/** Copies the result of the latest completed review to each pull request. */
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
      (critical_count, moderate_count, minor_count) = (
        select count(*) filter (where severity = 'critical'), count(*) filter (where severity = 'moderate'),
          count(*) filter (where severity = 'minor')
        from findings f
        where f.repo = r.repo and f.pr_number = r.pr_number and f.last_run_id = r.id and f.state = 'open')
    from (
      select distinct on (repo, pr_number) id, repo, pr_number, verdict, confidence from workflow_runs
      where status = 'completed' and verdict is not null
      order by repo, pr_number, id desc) r
    where r.repo = p.repo and r.pr_number = p.number`.execute(db)
}
