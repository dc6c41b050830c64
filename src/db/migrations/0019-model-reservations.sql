-- What calls of models may cost, reserved before each call for the limits of all workers. The row
-- has the cost once the call has ended, until model_spend has it. In state lost, the answer broke
-- off: the cost isn't known, and the maximum counts.

create table model_reservations (
  id bigint generated always as identity primary key,
  budget_id text not null,
  owner text not null,
  -- The calls that share the limit of one review.
  subject text not null,
  usd double precision not null,
  state text not null check (state in ('open', 'settled', 'lost')),
  created_at timestamptz not null default now()
);
