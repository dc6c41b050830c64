-- Pull requests whose heads are those of others too: they have one check together.

alter table pull_requests add column shared_head_sha text;

create index pull_requests_shared_heads on pull_requests (repo, shared_head_sha)
  where shared_head_sha is not null;
