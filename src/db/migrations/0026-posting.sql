-- When the review began to be posted, which an interrupted run can't undo. Null before that.
alter table workflow_runs add column posting_started_at timestamptz;
update workflow_runs set posting_started_at = started_at
where status in ('pending', 'processing') and timings is not null;
