-- What all processes know of the writes that a code host accepts, and secrets of webhooks that are
-- accepted besides the current ones.

create table write_budgets (
  account text primary key,
  -- When the budget for all writes, and that for those that notify people, are full again.
  writes_full_at timestamptz not null,
  notices_full_at timestamptz not null,
  next_write_at timestamptz not null,
  refused_until timestamptz
);

create table spare_webhook_secrets (
  webhook_id bigint not null,
  secret text not null check (secret ~ '^[0-9a-f]{64}$'),
  -- Null while it isn't known whether the host uses it yet.
  accepted_until timestamptz,
  primary key (webhook_id, secret)
);
create unique index spare_webhook_secrets_next on spare_webhook_secrets (webhook_id)
  where accepted_until is null;
