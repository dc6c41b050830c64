-- The base branches that reviews, posted decisions and pauses are about: a pull request may get
-- another one, whose settings and review count then.

alter table workflow_runs add column base_branch text;
alter table posted_decisions add column base_branch text;

-- Null for a pause that holds for each base branch.
alter table pull_requests add column paused_base_branch text;
