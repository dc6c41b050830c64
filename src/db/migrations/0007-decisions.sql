-- Pull requests on which an approval or a request for changes of ours may hold, and an index for the
-- merge groups of a pull request.

create table posted_decisions (
  repo text not null,
  number integer not null,
  decision text not null check (decision in ('approve', 'request_changes')),
  head_sha text not null,
  version bigint generated always as identity,
  checked_at timestamptz not null default now(),
  primary key (repo, number),
  foreign key (repo, number) references pull_requests (repo, number)
    on update cascade on delete cascade
);

create index platform_requests_merge_groups
  on platform_requests (repo, (request->>'number'), (request->>'headSha'))
  where request->>'kind' = 'merge_group';
