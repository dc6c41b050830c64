-- A deployment serves several code hosts: names of repositories end with `@` and the id of theirs,
-- unless it is the first one.

-- Ids of hosts begin with a letter; after another `@`, names of former repositories have a number.
create function host_of(repo text) returns text language sql immutable parallel safe
  return coalesce(substring(lower(repo) from '@[a-z][a-z0-9-]*$'), '');

-- The account or the top group, with the host.
create function owner_of(repo text) returns text language sql immutable parallel safe
  return lower(substring(repo from '^[^/:]*'))
    || coalesce(substring(lower(repo) from '@[a-z][a-z0-9-]*$'), '');

-- Its index is dropped with it.
alter table work_items drop column owner;
alter table work_items
  add column owner text not null generated always as (owner_of(repo)) stored;
create index work_items_due on work_items (kind, owner, due_at);

-- Hosts count their webhooks each for itself.
alter table spare_webhook_secrets add column host text not null default '';
alter table spare_webhook_secrets
  drop constraint spare_webhook_secrets_pkey,
  add primary key (webhook_id, host, secret);
drop index spare_webhook_secrets_next;
create unique index spare_webhook_secrets_next on spare_webhook_secrets (webhook_id, host)
  where accepted_until is null;
