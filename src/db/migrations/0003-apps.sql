-- The App of a code host, and its installations.

create table platform_apps (
  source text primary key,
  app_id text not null,
  slug text not null,
  name text not null,
  owner text not null,
  html_url text not null,
  client_id text not null,
  encrypted_secrets bytea not null,
  created_at timestamptz not null default now()
);

create table app_installations (
  id bigint generated always as identity primary key,
  source text not null references platform_apps (source) on delete cascade,
  platform_id text not null,
  account_id text not null,
  account_login text not null,
  account_type text not null check (account_type in ('user', 'organization')),
  html_url text not null,
  suspended_at timestamptz,
  removed_at timestamptz,
  created_at timestamptz not null default now(),
  unique (source, platform_id)
);

alter table installations
  add column app_installation_id bigint references app_installations (id) on delete set null;
create index installations_app on installations (app_installation_id)
  where app_installation_id is not null;

-- A process renews an expired token of a person; others wait until this time.
alter table users add column token_renewal_until timestamptz;
