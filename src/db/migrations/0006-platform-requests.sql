-- Requests of all kinds that reach us through the code host, each with its own fields.

alter table check_requests rename to platform_requests;
alter table platform_requests add column request jsonb;
update platform_requests set request = jsonb_build_object(
  'kind', kind,
  'headSha', head_sha,
  'number', number,
  'subject', subject,
  'sender', case
    when sender_id is null then null
    else jsonb_build_object('id', sender_id, 'login', sender_login)
  end);
alter table platform_requests
  alter column request set not null,
  drop column kind,
  drop column head_sha,
  drop column number,
  drop column subject,
  drop column sender_id,
  drop column sender_login;

alter table work_items drop constraint work_items_kind_check;
update work_items set kind = 'request' where kind = 'check';
alter table work_items
  add constraint work_items_kind_check check (kind in ('review', 'scan', 'request'));
