-- Questions in the conversations on pull requests: each is counted and answered once.

create table answers (
  id bigint generated always as identity primary key,
  repo text not null,
  pr_number integer not null,
  comment_id text not null,
  is_inline boolean not null,
  fingerprint text,
  reopened integer,
  requester text not null,
  reached_limit text check (reached_limit in ('thread', 'pull_request', 'hour', 'budget')),
  position text check (position in ('explains', 'stands', 'concedes')),
  cost_usd double precision,
  created_at timestamptz not null default now(),
  answered_at timestamptz,
  unique (repo, comment_id, is_inline)
);
create index answers_by_pull_request on answers (repo, pr_number);
create index answers_by_requester on answers (repo, requester, created_at);
