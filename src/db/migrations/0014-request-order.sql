-- What people request at a pull request is answered in their order.

-- The pull request where work is done in the order of its number; null for work without an order.
alter table work_items add column pull_number integer;
create index work_items_order on work_items (kind, repo, pull_number, number)
  where pull_number is not null;

update work_items set pull_number = (request->>'number')::integer
from platform_requests
where work_items.kind = 'request' and platform_requests.id = work_items.number
  and request->>'kind' <> 'merge_group';
