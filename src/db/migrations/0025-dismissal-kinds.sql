-- Why a finding was dismissed. Null for dismissals that don't say it, such as resolved threads.
alter table dismissals add column kind text
  check (kind in ('false_positive', 'accepted', 'handled'));
