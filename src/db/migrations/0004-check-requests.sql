-- What people and merge queues request of the check on a commit.

create table check_requests (
  id integer generated always as identity primary key,
  source text not null,
  delivery_id text,
  repo text not null,
  kind text not null check (kind in ('review', 'dismiss_minor', 'merge_group')),
  head_sha text not null,
  number integer,
  sender_id text,
  sender_login text,
  created_at timestamptz not null default now(),
  unique (source, delivery_id)
);

alter table work_items
  drop constraint work_items_kind_check,
  add constraint work_items_kind_check check (kind in ('review', 'scan', 'check'));
