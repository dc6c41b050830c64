-- What a model answers is work of its own kind, so that it does not hold up other requests.

alter table work_items
  drop constraint work_items_kind_check,
  add constraint work_items_kind_check check (kind in ('review', 'scan', 'request', 'answer'));
