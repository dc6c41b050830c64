-- The findings of a pull request by state, as each of its reviews left them, for the history.
alter table workflow_runs add column finding_counts jsonb;
