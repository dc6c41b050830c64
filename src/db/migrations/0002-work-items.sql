-- One queue for all background work, instead of leases of runs and of scans beside a job queue.

-- Fences rise over all claims, so also over those of work that left the queue and came again.
create sequence work_fences as bigint;
select setval('work_fences', greatest(
  1,
  (select max(fence) from workflow_runs),
  (select max(fence) from scans),
  (select max(fence) from code_graphs)));

create table work_items (
  kind text not null check (kind in ('review', 'scan')),
  repo text not null,
  number integer not null,
  owner text not null generated always as (lower(substring(repo from '^[^/:]*'))) stored,
  status text not null default 'pending' check (status in ('pending', 'processing')),
  attempts integer not null default 0,
  losses integer not null default 0,
  fence bigint not null default 0,
  worker text,
  due_at timestamptz not null default now(),
  scheduled_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  error text,
  error_code text,
  primary key (kind, repo, number)
);
create index work_items_due on work_items (kind, owner, due_at);

insert into work_items (kind, repo, number, status, attempts, losses, fence, worker, due_at,
  created_at, error, error_code)
select 'review', repo, pr_number, status, attempts, losses, fence, worker,
  coalesce(case status when 'processing' then lease_until else retry_at end, now()),
  created_at, error, error_code
from workflow_runs where status in ('pending', 'processing')
union all
select 'scan', repo, 0, status, attempts, losses, fence, worker,
  coalesce(case status when 'processing' then lease_until else retry_at end, now()),
  requested_at, error, error_code
from scans where status in ('pending', 'processing');

-- Events that no run had claimed yet.
insert into work_items (kind, repo, number, created_at)
select 'review', repo, pr_number, min(created_at) from events
where wants_review and status in ('pending', 'processing')
group by repo, pr_number
on conflict do nothing;

-- Their indexes are dropped with them.
alter table workflow_runs
  drop column fence,
  drop column worker,
  drop column lease_until,
  drop column retry_at,
  drop column put_back_at,
  drop column losses;
alter table scans
  drop column attempts,
  drop column fence,
  drop column worker,
  drop column lease_until,
  drop column retry_at,
  drop column put_back_at,
  drop column losses;
alter table code_graphs alter column fence type bigint;

drop schema if exists pgboss cascade;
