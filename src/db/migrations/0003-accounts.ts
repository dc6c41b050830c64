// Credentials, audit and reservations of accounts; and what the reviews list and the insights read of a pull request.
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
  await sql`create index events_repo on events (repo, id)`.execute(db)
  // The other statuses are met soon wherever one looks. A new event costs nothing here.
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
  // Room for a next version beside the last one, which then needs no new entries in the indexes.
  await sql`alter table pull_requests set (fillfactor = 80)`.execute(db)
  // In the list's order within each state and each status, for all repositories and for each. A row that was just inserted names
  // no event yet: it comes in once, when it does.
  const listed = sql`where listed_event_id is not null`
  for (const column of ['state', 'listed_status']) {
    const lane = sql.ref(column)
    await sql`
      create index ${sql.ref(`pull_requests_${column}`)}
      on pull_requests (${lane}, listed_event_id) ${listed}`.execute(db)
    // With all that is asked of a lane, so that it is read in order and nothing but it.
    await sql`
      create index ${sql.ref(`pull_requests_repo_${column}`)}
      on pull_requests (repo, ${lane}, listed_event_id) include (number) ${listed}`.execute(db)
  }
  await sql`
    create index pull_requests_unannounced on pull_requests (merged_at)
    where merged_at > last_event_at`.execute(db)
}

/**
 * The texts that the list is searched in once more, in a table of their own: its index is costly to write, and they hardly
 * ever change. Without the extension, which the embedded engine doesn't have, they are read one after the other.
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

/** Case is folded here, and by events/search-text.ts from then on, so that it doesn't hang on the database's locale. */
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
