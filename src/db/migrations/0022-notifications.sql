-- Where people want to be notified of critical findings, and what has to be sent there.

create table notification_channels (
  id bigint generated always as identity primary key,
  user_id bigint not null references users (id) on delete cascade,
  kind text not null check (kind in ('chat', 'email')),
  -- The URL of a webhook is a secret: whoever knows it can post.
  encrypted_target bytea not null,
  label text not null,
  -- Null for all repositories that the person sees.
  repo text,
  -- The hour of the daily digest in UTC; null for notifications at once.
  digest_hour int check (digest_hour between 0 and 23),
  -- Null while the code that was sent to an e-mail address was not entered.
  confirmed_at timestamptz,
  code_digest bytea,
  code_attempts int not null default 0,
  failure text,
  created_at timestamptz not null default now()
);
create index notification_channels_user on notification_channels (user_id);

-- A review with new critical findings, until the channel was notified.
create table notifications (
  id bigint generated always as identity primary key,
  channel_id bigint not null references notification_channels (id) on delete cascade,
  run_id bigint not null references workflow_runs (id) on delete cascade,
  due_at timestamptz not null,
  attempts int not null default 0,
  created_at timestamptz not null default now(),
  unique (channel_id, run_id)
);
create index notifications_due on notifications (due_at);
