// Adds what is known about a repository: scans, code graph, files of reviews, memories.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await addScans(db)
  await addGraph(db)
  await addTouches(db)
  await addMemories(db)
  // Stores the memory that a finding cites, with its text at that time.
  await sql`alter table findings add column rests_on jsonb`.execute(db)
}

async function addScans(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table scans (
      repo text primary key,
      status text not null check (status in ('pending', 'processing', 'completed', 'failed')),
      wanted_again boolean not null default false,
      wanted_thorough boolean not null default false,
      thorough boolean not null default false,
      attempts integer not null default 0,
      fence integer not null default 0,
      worker text,
      lease_until timestamptz,
      retry_at timestamptz,
      requested_at timestamptz not null default now(),
      started_at timestamptz,
      finished_at timestamptz,
      step text not null default '',
      done integer not null default 0,
      total integer not null default 0,
      commit_sha text,
      described_sha text,
      error text,
      error_code text
    )`.execute(db)
  await sql`
    create index scans_unfinished on scans (lease_until) where status in ('pending', 'processing')`.execute(
    db,
  )
}

async function addGraph(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table code_graphs (
      id bigint generated always as identity primary key,
      repo text not null unique,
      fence integer not null default 0,
      commit_sha text,
      facts_version integer not null default 0,
      resolution jsonb not null default '{}',
      statistics jsonb not null default '{}',
      built_at timestamptz
    )`.execute(db)
  // Without foreign keys, because a single scan at a time writes hundreds of thousands of rows.
  await sql`
    create table code_facts (
      graph_id bigint not null,
      oid text collate "C" not null,
      grammar text collate "C" not null,
      version integer not null,
      kind text not null,
      lines integer,
      unparsed text,
      facts bytea,
      primary key (graph_id, oid, grammar)
    )`.execute(db)
  // PostgreSQL must not compress it, because it is compressed already.
  await sql`alter table code_facts alter column facts set storage external`.execute(db)
  await sql`
    create table code_files (
      id bigint generated always as identity primary key,
      graph_id bigint not null,
      path text collate "C" not null,
      oid text collate "C" not null,
      grammar text collate "C" not null,
      language text,
      kind text not null,
      is_test boolean not null default false,
      size bigint not null,
      lines integer,
      complexity integer,
      unparsed text,
      namespace text collate "C",
      used_names bytea,
      unique (graph_id, path)
    )`.execute(db)
  await sql`
    create table code_symbols (
      graph_id bigint not null,
      file_id bigint not null,
      ordinal integer not null,
      name text collate "C" not null,
      kind text not null,
      container text not null default '',
      start_line integer not null,
      end_line integer not null,
      exported boolean not null,
      primary key (file_id, ordinal)
    )`.execute(db)
  await sql`create index code_symbols_name on code_symbols (graph_id, name)`.execute(db)
  await sql`
    create table code_edges (
      graph_id bigint not null,
      source_id bigint not null,
      target_id bigint not null,
      kind text not null check (kind in ('import', 'call', 'reference', 'extends')),
      confidence real not null,
      sites integer not null,
      primary key (source_id, target_id, kind)
    )`.execute(db)
  await sql`create index code_edges_target on code_edges (target_id)`.execute(db)
}

/** Only the latest review and reviews that requested changes are used, so others are left out. */
async function addTouches(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table pull_request_files (
      run_id bigint not null references workflow_runs (id) on delete cascade,
      repo text not null,
      pr_number integer not null,
      author text collate "C" not null,
      latest boolean not null,
      requested_changes boolean not null,
      path text collate "C" not null,
      directory text collate "C" not null generated always as (
        case when strpos(path, '/') = 0 then '.' else regexp_replace(path, '/[^/]*$', '') end
      ) stored,
      previous_path text,
      status text not null,
      additions integer not null,
      deletions integer not null,
      symbols text[] not null default '{}',
      primary key (run_id, path)
    )`.execute(db)
  // Statistics over all files of a repository read only the first two indexes, in their order.
  await sql`
    create index pull_request_files_path on pull_request_files (repo, path)
    include (latest, requested_changes, author, pr_number)`.execute(db)
  await sql`create index pull_request_files_author on pull_request_files (repo, author, directory) where latest`.execute(
    db,
  )
  await sql`create index pull_request_files_directory on pull_request_files (repo, directory, pr_number)`.execute(
    db,
  )
  // Memories are derived from few rows: those of an author, and unwanted findings.
  await sql`create index pull_requests_author on pull_requests (repo, author, number)`.execute(db)
  await sql`create index findings_dismissed on findings (repo, rule) where state = 'dismissed'`.execute(
    db,
  )
  await sql`
    create table pull_request_issues (
      repo text not null,
      pr_number integer not null,
      issue_repo text not null,
      issue_number integer not null,
      closes boolean not null,
      primary key (repo, pr_number, issue_repo, issue_number)
    )`.execute(db)
}

async function addMemories(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table memories (
      id uuid primary key default gen_random_uuid(),
      repo text not null,
      memory_type text not null,
      subject text not null,
      text text not null,
      path text,
      component_type text,
      trust text not null check (trust in ('person', 'repository', 'derived', 'model')),
      provenance jsonb not null,
      terms bigint[] not null,
      weights real[] not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      superseded_by uuid references memories (id) on delete set null deferrable initially deferred,
      ended_at timestamptz,
      ended_by text
    )`.execute(db)
  // Each subject has one current memory; the others are history.
  await sql`
    create unique index memories_current on memories (repo, memory_type, subject) where ended_at is null`.execute(
    db,
  )
  await sql`create index memories_history on memories (repo, memory_type, subject) where ended_at is not null`.execute(
    db,
  )
  await sql`create index memories_newest on memories (repo, updated_at desc, id desc) where ended_at is null`.execute(
    db,
  )
  // Without a pending list, which every search would have to read.
  await sql`
    create index memories_terms on memories using gin (terms) with (fastupdate = off) where ended_at is null`.execute(
    db,
  )
  await sql`
    create table memory_terms (
      term bigint primary key,
      memories integer not null
    )`.execute(db)
}
