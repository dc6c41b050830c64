-- Indexes for the list of findings. The first has the columns of most filters, so that a filter that
-- few findings match doesn't read the table.

create index findings_by_time on findings (created_at, id)
  include (repo, pr_number, fingerprint, reopened, first_run_id, state, resolution, severity,
    category, rule, placement);
create index findings_by_repository on findings (repo, created_at, id);

-- The embedded engine lacks the extension for this one, so it reads all texts.
do $$
begin
  create extension if not exists pg_trgm;
  create index findings_text on findings using gin
    ((title || chr(31) || path || chr(31) || coalesce(rule, '')) gin_trgm_ops);
exception when insufficient_privilege or undefined_file or feature_not_supported
  or undefined_object then
  raise notice 'The extension pg_trgm is not available: searching takes longer';
end $$;
