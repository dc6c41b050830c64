-- Completed reviews are repeated when other tools published what they found.

alter table workflow_runs
  -- When the code host was last asked for it; null before the first time.
  add column tools_checked_at timestamptz,
  drop constraint workflow_runs_redo_when_check,
  add constraint workflow_runs_redo_when_check
    check (redo_when in ('reopened', 'model', 'tools'));
