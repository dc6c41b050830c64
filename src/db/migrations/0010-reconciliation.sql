-- How far each repository was compared with the code host, and what became of unused deliveries.

create table reconciliations (
  repo text primary key,
  due_at timestamptz not null,
  compared_until timestamptz,
  redelivered_until timestamptz
);

-- When the deliveries to the App are looked at next, and until when they were.
alter table platform_apps
  add column redelivery_due_at timestamptz not null default now(),
  add column redelivered_until timestamptz;

-- The head whose check a run left in progress.
alter table workflow_runs add column shown_head_sha text;

-- Deliveries that led to no event. Those that nobody verified are counted by day, because anybody
-- can send them.
create table unused_deliveries (
  id bigint generated always as identity primary key,
  outcome text not null check (outcome in ('duplicate', 'ignored', 'refused')),
  reason text not null,
  source text not null,
  delivery_id text,
  event_type text,
  repo text,
  pr_number integer,
  count integer not null default 1,
  created_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  day date
);
create unique index unused_deliveries_by_day on unused_deliveries (day, reason, coalesce(repo, ''))
  where day is not null;
create index unused_deliveries_repo on unused_deliveries (lower(repo), id);
create index unused_deliveries_sent on unused_deliveries (delivery_id)
  where delivery_id is not null;
