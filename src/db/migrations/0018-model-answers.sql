-- Answers of models that later reviews of the same pull request use again, by what they rest on.

create table model_answers (
  repo text not null,
  pr_number integer not null,
  key text not null,
  answer jsonb not null,
  created_at timestamptz not null default now(),
  primary key (repo, pr_number, key)
);
create index model_answers_by_age on model_answers (created_at);
