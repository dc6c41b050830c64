-- What is stored without a host belongs to the first one, and tokens belong to the address that
-- issued them. So both are remembered.
create table code_hosts (
  id text primary key,
  url text not null,
  is_first boolean not null
);
create unique index code_hosts_first on code_hosts (is_first) where is_first;
