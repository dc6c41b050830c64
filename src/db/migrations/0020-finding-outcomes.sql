-- Why findings were resolved, and when pull requests were first reviewed, for what the insights
-- say about outcomes.

alter table findings add column resolution text
  check (resolution in ('fixed', 'replaced', 'withdrawn', 'dismissed'));

-- Whether a model withdrew a finding wasn't stored.
update findings f set resolution = case
  when exists (
    select from dismissals d
    where d.repo = f.repo and d.pr_number = f.pr_number and d.fingerprint = f.fingerprint
      and d.reopened = f.reopened) then 'dismissed'
  when exists (
    select from findings g
    where g.repo = f.repo and g.pr_number = f.pr_number and g.path = f.path
      and g.first_run_id = f.last_run_id and g.rule is not distinct from f.rule
      and (g.rule is not null or g.category = f.category)) then 'replaced'
  else 'fixed' end
where state = 'resolved';

alter table pull_requests add column fixed_count integer not null default 0,
  add column dismissed_count integer not null default 0,
  add column open_count integer not null default 0,
  add column open_critical_count integer not null default 0,
  add column first_requested_at timestamptz,
  add column first_reviewed_at timestamptz;

update pull_requests p
set first_reviewed_at = first.finished_at, first_requested_at = coalesce((
    select min(e.created_at) from events e left join workflow_runs r on r.id = e.run_id
    where e.repo = p.repo and e.pr_number = p.number and e.wants_review
      and e.created_at <= first.finished_at
      and (r.verdict is not null or r.status is distinct from 'completed')
  ), first.created_at),
  fixed_count = coalesce(n.fixed, 0), dismissed_count = coalesce(n.dismissed, 0),
  open_count = coalesce(n.open, 0), open_critical_count = coalesce(n.critical, 0)
from (
  select distinct on (repo, pr_number) repo, pr_number, created_at, finished_at
  from workflow_runs where verdict is not null and finished_at is not null
  order by repo, pr_number, id
) as first
left join (
  select repo, pr_number, count(*) filter (where outcome = 'fixed') as fixed,
    count(*) filter (where outcome = 'dismissed') as dismissed,
    count(*) filter (where outcome = 'open') as open,
    count(*) filter (where outcome = 'open' and severity = 'critical') as critical
  from (
    select f.repo, f.pr_number, f.severity,
      case when f.state = 'dismissed' or f.state = 'open' and d.login is not null then 'dismissed'
        when f.state = 'resolved' then f.resolution else 'open' end as outcome
    from findings f
    join pull_requests p on p.repo = f.repo and p.number = f.pr_number
      and f.first_run_id <= p.reviewed_run_id
    left join dismissals d on d.repo = f.repo and d.pr_number = f.pr_number
      and d.fingerprint = f.fingerprint and d.reopened = f.reopened
  ) as known
  group by repo, pr_number
) as n on n.repo = first.repo and n.pr_number = first.pr_number
where first.repo = p.repo and first.pr_number = p.number;
