// Lists reviews, newest first: one entry per pull request, for its listed event (see listing.ts).

import { type RawBuilder, sql } from 'kysely'
import { isInScope, type Scope } from '../accounts/scope.ts'
import type { ResponseRecord } from '../contract/endpoint.ts'
import { type EventStatus, type PullRequestState, pullRequestStates } from '../contract/enums.ts'
import type * as contract from '../contract/review-endpoints.ts'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import { makeSearchPattern } from './search-text.ts'

export type ListedReview = ResponseRecord<typeof contract.listReviews>[number]

export interface ReviewQuery {
  readonly scope: Scope
  /** Restricts entries by the status of the event or the state of the pull request. */
  readonly filter?: ReviewFilter | undefined
  /** Matches a part of the title, repository or number; empty for all. */
  readonly search: string
  readonly limit: number
  /** Selects entries whose event has a smaller id. */
  readonly before?: number | undefined
}

export type ReviewFilter =
  | { readonly column: 'listedStatus'; readonly values: readonly EventStatus[] }
  | { readonly column: 'state'; readonly values: readonly PullRequestState[] }

const anyState: ReviewFilter = { column: 'state', values: pullRequestStates }

/** With this many repositories, their newest entries are probably among the newest of all. */
const minWideScope = 20

/** The cost depends on the scope and `limit`, but not on the number of events. */
export async function listReviews(db: Db, query: ReviewQuery): Promise<ListedReview[]> {
  const { scope, search, limit } = query
  if (scope !== 'all' && scope.length === 0) return []
  const isWide = scope === 'all' || scope.length >= minWideScope
  if (isWide && (search !== '' || scope !== 'all')) {
    const entries = await searchNewest(db, query)
    if (entries) return entries
  }
  if (search !== '') return searchAll(db, query)
  const newest =
    scope === 'all' ? newestOfAll(query, limit) : newestOfRepositories(scope, query, limit)
  return readReviewEntries(db, newest)
}

/** Searches the newest entries of all repositories. Undefined if more matches may be older. */
async function searchNewest(db: Db, query: ReviewQuery): Promise<ListedReview[] | undefined> {
  const { scope, search, limit } = query
  const maxSearched = 2000 + 20 * limit
  const isMatch = search === '' ? sql`` : sql`and search_text like ${makeSearchPattern(search)}`
  const searchColumn = search === '' ? sql`` : sql`, search_text`
  const matches = sql`
    select * from (${newestOfAll(query, maxSearched, searchColumn)}) as newest
    where true ${isMatch} and ${isInScope(scope)} ${limitRows(limit)}`
  const entries = await readReviewEntries(db, matches)
  if (entries.length === limit) return entries
  const { rows } = await sql`
    select 1 from (${newestOfAll(query, maxSearched)}) as newest
    offset ${maxSearched - 1}`.execute(db)
  return rows.length === 0 ? entries : undefined
}

/**
 * Finds matches before sorting them. Frequent matches were already found among the newest entries.
 */
async function searchAll(db: Db, query: ReviewQuery): Promise<ListedReview[]> {
  const { scope, search, limit, filter = anyState } = query
  const found = sql`
    select repo, number from pull_request_search
    where text like ${makeSearchPattern(search)} and ${isInScope(scope)}`
  // The limit makes the planner read the index once per match instead of all pull requests. The
  // conditions on both state and status keep it from reading an index of only one of the two.
  const matches = sql`
    with found as materialized (${found})
    select repo, number, listed_event_id from found, lateral (
      select listed_event_id, state, listed_status from pull_requests p
      where p.repo = found.repo and p.number = found.number
      limit 1) as p
    where ${isBefore(query)} and state is not null and listed_status is not null
      and ${isAmong(filter)}
    order by listed_event_id desc ${limitRows(limit)}`
  return readReviewEntries(db, matches)
}

/** Merges the values of the filter, each of which is in order in an index. */
function newestOfAll(query: ReviewQuery, limit: number, extraColumn = sql``): RawBuilder<unknown> {
  const { column, values } = query.filter ?? anyState
  const lanes = values.map(
    (value) => sql`(
      select repo, number, listed_event_id ${extraColumn} from pull_requests
      where ${sql.ref(column)} = ${value} and ${isBefore(query)}
      order by listed_event_id desc ${limitRows(limit)})`,
  )
  return sql`
    select * from (${sql.join(lanes, sql` union all `)}) as lane
    order by listed_event_id desc ${limitRows(limit)}`
}

/**
 * Merges lanes: the entries with one value of the filter in one repository, which an index has in
 * order. Only the lanes with the newest first entries can contribute to the result.
 */
function newestOfRepositories(
  repos: readonly string[],
  query: ReviewQuery,
  limit: number,
): RawBuilder<unknown> {
  const { column, values } = query.filter ?? anyState
  const newest = (count: number) => sql`
    select repo, number, listed_event_id from pull_requests
    where repo = lane.repo and ${sql.ref(column)} = lane.value and ${isBefore(query)}
    order by listed_event_id desc ${limitRows(count)}`
  return sql`
    with lane as materialized (
      select * from unnest(${repos}::text[]) as repo, unnest(${values}::text[]) as value
    ), best as materialized (
      select lane.* from lane, lateral (${newest(1)}) as first
      order by first.listed_event_id desc ${limitRows(limit)}
    )
    select entry.* from best as lane, lateral (${newest(limit)}) as entry
    order by entry.listed_event_id desc ${limitRows(limit)}`
}

function isBefore({ before }: ReviewQuery): RawBuilder<unknown> {
  return before === undefined ? sql`listed_event_id is not null` : sql`listed_event_id < ${before}`
}

function isAmong({ column, values }: ReviewFilter): RawBuilder<unknown> {
  return sql`${sql.ref(column)} = any(${values}::text[])`
}

async function readReviewEntries(db: Db, chosen: RawBuilder<unknown>): Promise<ListedReview[]> {
  const { rows } = await sql<ListedReview>`
    with chosen as materialized (${chosen}) ${entriesOfChosen} order by id desc`.execute(db)
  return rows
}

/** The fields of an entry: `e` is the event, `p` the pull request, `r` the run. */
export const reviewFields = sql`
  e.id, e.event_type, e.source, e.status, p.state as pr_status,
  e.created_at, e.processed_at, p.title as pr_title,
  p.number as pr_number, p.repo as repo_name, p.branch, p.author, p.url as pr_url,
  case when e.status = 'completed' then r.summary end as ai_summary,
  case when e.status = 'completed' then coalesce(r.files_analyzed, 0) else 0 end
    as files_analyzed`

/** Turns pull requests in `chosen` (`repo`, `number`, `listed_event_id`) into entries. */
const entriesOfChosen = sql`
  select ${reviewFields}
  from chosen
  join pull_requests p using (repo, number)
  join events e on e.id = chosen.listed_event_id
  left join workflow_runs r on r.id = e.run_id and r.status = e.status`
