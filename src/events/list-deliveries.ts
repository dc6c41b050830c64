// Lists stored deliveries with the outcome of their processing.

import { type RawBuilder, sql } from 'kysely'
import type { Scope } from '../accounts/scope.ts'
import type { ResponseRecord } from '../contract/endpoint.ts'
import type { EventStatus } from '../contract/enums.ts'
import type * as contract from '../contract/review-endpoints.ts'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'

type DeliveryEntry = ResponseRecord<typeof contract.listDeliveries>['deliveries'][number]

interface DeliveryQuery {
  readonly scope: Scope
  readonly status: EventStatus | undefined
  readonly limit: number
  /** Selects events with a smaller id. */
  readonly before: number | undefined
}

/** What became of an event `e`, with its run `r` or nulls. */
export const deliveryOutcome: RawBuilder<DeliveryEntry['outcome']> = sql`
  case when e.error is not null then 'failed' when not e.wants_review then 'recorded'
    when e.status = 'pending' then 'waiting'
    when e.status = 'processing' then 'reviewing' when e.status = 'failed' then 'failed'
    when r.verdict is null and r.id is not null then 'skipped' else 'reviewed' end`

/** Lists the newest deliveries. Those without a repository are only visible in the scope `all`. */
export async function listDeliveries(db: Db, query: DeliveryQuery): Promise<DeliveryEntry[]> {
  const { scope, status, limit, before = Number.MAX_SAFE_INTEGER } = query
  const hasStatus = status === undefined ? sql`` : sql`and status = ${status}`
  const isSelected = sql`id < ${before} ${hasStatus}`
  const newest =
    scope === 'all'
      ? sql`select id from events where ${isSelected} order by id desc ${limitRows(limit)}`
      : newestOfRepositories(scope, isSelected, limit)
  return readDeliveryEntries(db, newest)
}

/** Lists the newest deliveries for one pull request. */
export async function listPullRequestDeliveries(
  db: Db,
  ref: PullRequestRef,
  limit: number,
): Promise<DeliveryEntry[]> {
  const newest = sql`
    select id from events where repo = ${ref.repo} and pr_number = ${ref.number}
    order by id desc ${limitRows(limit)}`
  return readDeliveryEntries(db, newest)
}

/** Reads each repository in index order, as in list-reviews.ts. */
function newestOfRepositories(
  repos: readonly string[],
  isSelected: RawBuilder<unknown>,
  limit: number,
): RawBuilder<unknown> {
  const newest = (count: number) => sql`
    select id from events where repo = lane.repo and ${isSelected}
    order by id desc ${limitRows(count)}`
  return sql`
    with lane as materialized (
      select * from unnest(${repos}::text[]) as repo
    ), best as materialized (
      select lane.* from lane, lateral (${newest(1)}) as first
      order by first.id desc ${limitRows(limit)}
    )
    select entry.id from best as lane, lateral (${newest(limit)}) as entry
    order by entry.id desc ${limitRows(limit)}`
}

async function readDeliveryEntries(db: Db, chosen: RawBuilder<unknown>): Promise<DeliveryEntry[]> {
  const { rows } = await sql<DeliveryEntry>`
    with chosen as materialized (${chosen})
    select e.id, e.delivery_id, e.event_type, e.source,
      e.repo as repo_name, e.pr_number, e.status, e.duplicates,
      e.created_at, e.processed_at,
      coalesce(e.error, r.error) as error,
      ${deliveryOutcome} as outcome
    from chosen
    join events e using (id)
    left join workflow_runs r on r.id = e.run_id and r.status = e.status
    order by e.id desc`.execute(db)
  return rows
}
