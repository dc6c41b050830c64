-- Creates all tables as of the first schema that has a hash. Older databases have the same tables
-- from other migrations, see run-migrations.ts.

create table users (
  id bigint generated always as identity primary key,
  platform text not null,
  platform_user_id text not null,
  login text not null,
  name text not null default '',
  avatar_url text not null default '',
  is_admin boolean not null default false,
  encrypted_token bytea,
  created_at timestamptz not null default now(),
  unique (platform, platform_user_id)
);

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
);
create index tokens_user on tokens (user_id);

create table used_sign_in_states (
  digest bytea primary key,
  expires_at timestamptz not null
);

create table repository_reservations (
  repo text primary key,
  holder uuid not null,
  expires_at timestamptz not null,
  webhook_secret text
);

create table audit_log (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  user_id bigint references users (id) on delete set null,
  login text not null,
  action text not null,
  subject text not null default ''
);
create index audit_log_user on audit_log (user_id, id desc);

create table installations (
  id bigint generated always as identity primary key,
  user_id bigint not null references users (id),
  repo_full_name text not null,
  webhook_id bigint,
  webhook_secret text not null check (webhook_secret ~ '^[0-9a-f]{64}$'),
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  deactivated_at timestamptz,
  platform_repo_id text,
  access_check_due timestamptz not null default now() + interval '15 minutes',
  access_confirmed_at timestamptz,
  access_lost_at timestamptz
);
-- Platforms ignore the case of repository names.
create unique index installations_active on installations (lower(repo_full_name), user_id)
  where is_active;
create index installations_repo on installations (lower(repo_full_name));
create index installations_user on installations (user_id);

-- Leaves space for a new version of a row next to the old one, which needs no new index entries.
create table pull_requests (
  repo text not null,
  number integer not null,
  title text not null,
  author text not null,
  branch text not null,
  base_branch text not null,
  url text not null,
  state text not null check (state in ('open', 'merged', 'closed')),
  draft boolean not null default false,
  head_sha text not null,
  additions integer not null default 0,
  deletions integer not null default 0,
  opened_at timestamptz,
  merged_at timestamptz,
  updated_at timestamptz not null,
  search_text text collate "C" not null default '',
  state_as_of timestamptz,
  state_checked_at timestamptz,
  listed_event_id bigint,
  listed_status text,
  last_event_at timestamptz,
  reviewed_run_id bigint,
  verdict text,
  confidence integer,
  critical_count integer not null default 0,
  moderate_count integer not null default 0,
  minor_count integer not null default 0,
  is_confirmed boolean not null default true,
  threads_checked_at timestamptz,
  primary key (repo, number)
) with (fillfactor = 80);
create index pull_requests_author on pull_requests (repo, author, number);
-- The indexes are in the list's order for each state and status, with and without the repository.
-- A new row without a listed event is left out until it has one.
create index pull_requests_state on pull_requests (state, listed_event_id)
  where listed_event_id is not null;
create index pull_requests_listed_status on pull_requests (listed_status, listed_event_id)
  where listed_event_id is not null;
-- These cover all conditions, so that the list is read in order without other rows.
create index pull_requests_repo_state on pull_requests (repo, state, listed_event_id)
  include (number) where listed_event_id is not null;
create index pull_requests_repo_listed_status
  on pull_requests (repo, listed_status, listed_event_id)
  include (number) where listed_event_id is not null;
create index pull_requests_unannounced on pull_requests (merged_at)
  where merged_at > last_event_at;
-- Few pull requests are open, and the check of threads reads no others.
create index pull_requests_open on pull_requests (threads_checked_at nulls first)
  where state = 'open' and reviewed_run_id is not null;

-- A separate table for the searched texts, because its index is costly to write and the texts
-- hardly ever change. The embedded engine lacks the extension for the index, so it reads all texts.
create table pull_request_search (
  repo text not null,
  number integer not null,
  text text collate "C" not null,
  primary key (repo, number)
);
do $$
begin
  create extension if not exists pg_trgm;
  create index pull_request_search_text on pull_request_search using gin (text gin_trgm_ops);
exception when insufficient_privilege or undefined_file or feature_not_supported
  or undefined_object then
  raise notice 'The extension pg_trgm is not available: searching takes longer';
end $$;

create table workflow_runs (
  id bigint generated always as identity primary key,
  workflow_type text not null,
  repo text not null,
  pr_number integer not null,
  status text not null check (status in ('pending', 'processing', 'completed', 'failed')),
  attempts integer not null default 0,
  fence integer not null default 0,
  worker text,
  lease_until timestamptz,
  retry_at timestamptz,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  head_sha text,
  verdict text,
  confidence integer,
  summary text,
  files_analyzed integer not null default 0,
  error text,
  error_code text,
  coverage jsonb,
  usage jsonb,
  decision jsonb,
  timings jsonb,
  published_url text,
  seen_lines bytea,
  is_learned boolean not null default true,
  sources jsonb,
  reach jsonb,
  losses integer not null default 0,
  put_back_at timestamptz,
  basis jsonb,
  warnings jsonb,
  redo_when text check (redo_when in ('reopened', 'model')),
  constraint workflow_runs_pull_request foreign key (repo, pr_number)
    references pull_requests (repo, number) on update cascade
);
alter table pull_requests add foreign key (reviewed_run_id) references workflow_runs (id);
create index workflow_runs_latest on workflow_runs (repo, pr_number, id desc);
create index workflow_runs_lease on workflow_runs (lease_until)
  where status in ('pending', 'processing');
-- Lists a repository's newest reviews in any spelling, which MCP clients request.
create index workflow_runs_recent on workflow_runs (lower(repo), created_at desc, id desc)
  include (repo, status) where workflow_type = 'pr_review';
create index workflow_runs_redo on workflow_runs (redo_when) where redo_when is not null;
-- Guarantees that a pull request has at most one unfinished run.
create unique index workflow_runs_unfinished on workflow_runs (repo, pr_number)
  where status in ('pending', 'processing');
create index workflow_runs_unlearned on workflow_runs (finished_at) where not is_learned;

create table events (
  id bigint generated always as identity primary key,
  event_type text not null,
  source text not null,
  delivery_id text,
  repo text,
  pr_number integer,
  payload bytea not null,
  status text not null default 'pending'
    check (status in ('pending', 'processing', 'completed', 'failed')),
  wants_review boolean not null default false,
  run_id bigint references workflow_runs (id),
  created_at timestamptz not null default now(),
  processed_at timestamptz,
  duplicates integer not null default 0,
  error text
);
-- PostgreSQL must not compress it, because it is compressed already.
alter table events alter column payload set storage external;
create index events_by_rank on events (
  repo, pr_number,
  (case status when 'completed' then 4 when 'failed' then 3 when 'processing' then 2 else 1 end)
  desc, id desc)
  where pr_number is not null;
-- Other statuses are found quickly without an index, and a new event then writes no entry here.
create index events_rare on events (status, id) where status in ('processing', 'failed');
create index events_rare_repo on events (repo, status, id)
  where status in ('processing', 'failed');
create index events_repo on events (repo, id);
-- Stays small, because it contains only events that a worker still has to process.
create index events_unsettled on events (repo, pr_number, event_type, created_at)
  where wants_review and status in ('pending', 'processing');

create table findings (
  id bigint generated always as identity primary key,
  repo text not null,
  pr_number integer not null,
  fingerprint text not null,
  first_run_id bigint not null references workflow_runs (id),
  last_run_id bigint not null references workflow_runs (id),
  reviewer text not null,
  rule text,
  path text not null,
  side text not null check (side in ('LEFT', 'RIGHT')),
  start_line integer not null,
  end_line integer not null,
  quote text not null default '',
  severity text not null check (severity in ('critical', 'moderate', 'minor')),
  category text not null,
  title text not null,
  body text not null,
  suggestion text,
  evidence jsonb not null default '[]',
  confidence double precision not null,
  verified boolean not null,
  state text not null check (state in ('open', 'resolved', 'dismissed')),
  reopened integer not null default 0,
  placement text not null check (placement in ('inline', 'summary', 'held_back')),
  comment_url text,
  created_at timestamptz not null default now(),
  resolved_at timestamptz,
  anchor_hash text not null default '',
  rests_on jsonb,
  removed boolean not null default false,
  unique (repo, pr_number, fingerprint)
);
-- Memories are derived from few rows: those of an author, and unwanted findings.
create index findings_dismissed on findings (repo, rule) where state = 'dismissed';

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
);

create table model_spend (
  id bigint generated always as identity primary key,
  run_id bigint references workflow_runs (id),
  model text not null,
  calls integer not null,
  input_tokens integer not null,
  output_tokens integer not null,
  cached_input_tokens integer not null default 0,
  cost_usd double precision,
  created_at timestamptz not null default now(),
  owner text
);
create index model_spend_day on model_spend (created_at);
create index model_spend_run on model_spend (run_id);

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
  error_code text,
  asks_models boolean,
  platform_repo_id text,
  losses integer not null default 0,
  put_back_at timestamptz
);
create index scans_unfinished on scans (lease_until) where status in ('pending', 'processing');

create table code_graphs (
  id bigint generated by default as identity primary key,
  repo text not null unique,
  fence integer not null default 0,
  commit_sha text,
  facts_version integer not null default 0,
  resolution jsonb not null default '{}',
  statistics jsonb not null default '{}',
  built_at timestamptz,
  facts_id bigint not null,
  building_id bigint
);
alter table code_graphs alter column facts_id set default nextval('code_graphs_id_seq');

-- Without foreign keys, because a single scan at a time writes hundreds of thousands of rows.
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
);
-- PostgreSQL must not compress it, because it is compressed already.
alter table code_facts alter column facts set storage external;

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
);

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
);
create index code_symbols_name on code_symbols (graph_id, name);

create table code_edges (
  graph_id bigint not null,
  source_id bigint not null,
  target_id bigint not null,
  kind text not null check (kind in ('import', 'call', 'reference', 'extends')),
  confidence real not null,
  sites integer not null,
  primary key (source_id, target_id, kind)
);
create index code_edges_target on code_edges (target_id);

-- Only the latest review and reviews that requested changes are used, so others are left out.
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
);
create index pull_request_files_author on pull_request_files (repo, author, directory)
  where latest;
create index pull_request_files_directory on pull_request_files (repo, directory, pr_number);
-- Statistics over all files of a repository read only this index and the one by directory, in their
-- order.
create index pull_request_files_path on pull_request_files (repo, path)
  include (latest, requested_changes, author, pr_number);

create table pull_request_issues (
  repo text not null,
  pr_number integer not null,
  issue_repo text not null,
  issue_number integer not null,
  closes boolean not null,
  primary key (repo, pr_number, issue_repo, issue_number)
);

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
  superseded_by uuid,
  ended_at timestamptz,
  ended_by text
);
-- Each subject has one current memory; the others are history.
create unique index memories_current on memories (repo, memory_type, subject)
  where ended_at is null;
create index memories_history on memories (repo, memory_type, subject) where ended_at is not null;
create index memories_newest on memories (repo, updated_at desc, id desc) where ended_at is null;
-- Without a pending list, which every search would have to read.
create index memories_terms on memories using gin (terms)
  with (fastupdate = off) where ended_at is null;

create table memory_terms (
  term bigint primary key,
  memories integer not null
);

-- Each current memory has one vector, which that of a newer embedder replaces.
create table memory_vectors (
  memory_id uuid primary key references memories (id) on delete cascade,
  repo text not null,
  embedder text not null,
  signs bit varying not null,
  vector bytea not null,
  norm real not null
);
-- Compression is disabled, because it would be tried without saving space.
alter table memory_vectors alter column vector set storage external;
create index memory_vectors_repo on memory_vectors (repo, embedder);
-- Deletes the vector when a memory ends or moves, whatever statement does it.
create function drop_memory_vector() returns trigger language plpgsql as $$
    begin
      delete from memory_vectors where memory_id = new.id;
      return null;
    end $$;
create trigger memories_drop_vector after update of ended_at, path on memories for each row
when (new.ended_at is not null or new.path is distinct from old.path)
execute function drop_memory_vector();

create table context_tools (
  source text not null,
  tool text not null,
  fingerprint text not null,
  first_seen timestamptz not null default now(),
  primary key (source, tool)
);
