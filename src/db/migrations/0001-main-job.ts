// Creates the tables for events, pull requests, runs, findings, users and installations.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
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
    )`.execute(db)

  await sql`
    create table installations (
      id bigint generated always as identity primary key,
      user_id bigint not null references users (id),
      repo_full_name text not null,
      webhook_id bigint,
      webhook_secret text not null check (webhook_secret ~ '^[0-9a-f]{64}$'),
      is_active boolean not null default true,
      created_at timestamptz not null default now(),
      deactivated_at timestamptz
    )`.execute(db)
  await sql`create unique index installations_active on installations (repo_full_name, user_id) where is_active`.execute(
    db,
  )
  await sql`create index installations_repo on installations (lower(repo_full_name))`.execute(db)

  await sql`
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
      primary key (repo, number)
    )`.execute(db)

  await sql`
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
      foreign key (repo, pr_number) references pull_requests (repo, number)
    )`.execute(db)
  // The index guarantees that a pull request has at most one unfinished run.
  await sql`
    create unique index workflow_runs_unfinished on workflow_runs (repo, pr_number)
    where status in ('pending', 'processing')`.execute(db)
  await sql`create index workflow_runs_latest on workflow_runs (repo, pr_number, id desc)`.execute(
    db,
  )
  await sql`
    create index workflow_runs_lease on workflow_runs (lease_until)
    where status in ('pending', 'processing')`.execute(db)

  await sql`
    create table events (
      id bigint generated always as identity primary key,
      event_type text not null,
      source text not null,
      delivery_id text,
      repo text,
      pr_number integer,
      payload bytea not null,
      status text not null default 'pending' check (status in ('pending', 'processing', 'completed', 'failed')),
      wants_review boolean not null default false,
      run_id bigint references workflow_runs (id),
      created_at timestamptz not null default now(),
      processed_at timestamptz
    )`.execute(db)
  // PostgreSQL must not compress it, because it is compressed already.
  await sql`alter table events alter column payload set storage external`.execute(db)
  await sql`create index events_pull_request on events (repo, pr_number, id desc)`.execute(db)
  // The index stays small, because it contains only events that a worker still has to process.
  await sql`
    create index events_unsettled on events (repo, pr_number, event_type, created_at)
    where wants_review and status in ('pending', 'processing')`.execute(db)

  await sql`
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
      unique (repo, pr_number, fingerprint)
    )`.execute(db)

  await sql`
    create table model_spend (
      id bigint generated always as identity primary key,
      run_id bigint references workflow_runs (id),
      model text not null,
      calls integer not null,
      input_tokens integer not null,
      output_tokens integer not null,
      cached_input_tokens integer not null default 0,
      cost_usd double precision,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index model_spend_day on model_spend (created_at)`.execute(db)
  await sql`create index model_spend_run on model_spend (run_id)`.execute(db)
}
