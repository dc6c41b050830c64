// The reviews list: one entry for each pull request, chosen by what stands with it (see listing.ts), newest first.
import { type RawBuilder, sql } from 'kysely'
import { isInScope, type Scope } from '../accounts/scope.ts'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import type { EventStatus } from '../db/schema.ts'
import type { PullRequestState } from '../domain/pull-request.ts'
import { makeSearchPattern } from './search-text.ts'

/** An entry, with the interface's names. */
export interface ListedReview {
  /** Of the event that stands for the pull request. */
  readonly id: number
  readonly event_type: string
  readonly source: string
  readonly status: EventStatus
  /** As last known. */
  readonly pr_status: PullRequestState
  readonly created_at: Date
  readonly processed_at: Date | null
  readonly pr_title: string
  readonly pr_number: number
  readonly repo_name: string
  readonly branch: string
  readonly author: string
  readonly pr_url: string
  /** Null until the review is completed. */
  readonly ai_summary: string | null
  readonly files_analyzed: number
}

/** What is asked for. */
export interface ReviewQuery {
  readonly scope: Scope
  /** Entries whose event, or whose pull request, is in one of these states only; all where it isn't given. */
  readonly filter?: ReviewFilter | undefined
  /** A part of the title, the repository or the number; empty for all. */
  readonly search: string
  readonly limit: number
  /** Only entries whose event has a smaller id. */
  readonly before?: number | undefined
}

export type ReviewFilter =
  | { readonly column: 'listed_status'; readonly values: readonly EventStatus[] }
  | { readonly column: 'state'; readonly values: readonly PullRequestState[] }

const anyState: ReviewFilter = { column: 'state', values: ['open', 'merged', 'closed'] }

/** A scope of so many repositories has its newest entries likely among the newest of all. */
const minWideScope = 20

/** The newest entries that fit. Its cost hangs on the scope and on `limit`, not on how many events there are. */
export async function listReviews(db: Db, query: ReviewQuery): Promise<ListedReview[]> {
  const { scope, search, limit } = query
  if (scope !== 'all' && scope.length === 0) return []
  const isWide = scope === 'all' || scope.length >= minWideScope
  if (isWide && (search !== '' || scope !== 'all')) {
    const entries = await searchNewest(db, query)
    if (entries) return entries
  }
  if (search !== '') return searchAll(db, query)
  return readReviewEntries(
    db,
    scope === 'all' ? newestOfAll(query, limit) : newestOfRepositories(scope, query, limit),
  )
}

/** Looks through the newest of all repositories. Undefined where those that fit may not all be among them. */
async function searchNewest(db: Db, query: ReviewQuery): Promise<ListedReview[] | undefined> {
  const { scope, search, limit } = query
  const most = 2000 + 20 * limit
  const isFound = search === '' ? sql`` : sql`and search_text like ${makeSearchPattern(search)}`
  const entries = await readReviewEntries(
    db,
    sql`
      select * from (${newestOfAll(query, most, search === '' ? sql`` : sql`, search_text`)}) as newest
      where true ${isFound} and ${isInScope(scope)} ${limitRows(limit)}`,
  )
  if (entries.length === limit) return entries
  const { rows } =
    await sql`select 1 from (${newestOfAll(query, most)}) as newest offset ${most - 1}`.execute(db)
  return rows.length === 0 ? entries : undefined
}

/** Finds first, then sorts: what is found often has been met among the newest. */
async function searchAll(db: Db, query: ReviewQuery): Promise<ListedReview[]> {
  const { scope, search, limit, filter = anyState } = query
  const found = sql`
    select repo, number from pull_request_search where text like ${makeSearchPattern(search)} and ${isInScope(scope)}`
  // One look into the index for each: the limit keeps the planner from reading all pull requests instead, and that both state
  // and status are asked for keeps it from reading a whole lane for each, none of which has both.
  return readReviewEntries(
    db,
    sql`
      with found as materialized (${found})
      select repo, number, listed_event_id from found, lateral (
        select listed_event_id, state, listed_status from pull_requests p
        where p.repo = found.repo and p.number = found.number
        limit 1) as p
      where ${isBefore(query)} and state is not null and listed_status is not null and ${isAmong(filter)}
      order by listed_event_id desc ${limitRows(limit)}`,
  )
}

/** Each value of the filter is in order in an index; they are merged. */
function newestOfAll(query: ReviewQuery, limit: number, further = sql``): RawBuilder<unknown> {
  const { column, values } = query.filter ?? anyState
  const lanes = values.map(
    (value) => sql`(
      select repo, number, listed_event_id ${further} from pull_requests
      where ${sql.ref(column)} = ${value} and ${isBefore(query)}
      order by listed_event_id desc ${limitRows(limit)})`,
  )
  return sql`select * from (${sql.join(lanes, sql` union all `)}) as lane order by listed_event_id desc ${limitRows(limit)}`
}

/**
 * Each value of the filter is in order in an index for each repository: a lane. Only those lanes that lead with the newest
 * entries can hold an entry of the answer.
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
      select lane.* from lane, lateral (${newest(1)}) as first order by first.listed_event_id desc ${limitRows(limit)}
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

/** The fields of an entry, from the event `e`, its pull request `p` and its run `r`. */
export const reviewFields = sql`
  e.id, e.event_type, e.source, e.status, p.state as pr_status, e.created_at, e.processed_at,
  p.title as pr_title, p.number as pr_number, p.repo as repo_name, p.branch, p.author, p.url as pr_url,
  case when e.status = 'completed' then r.summary end as ai_summary,
  case when e.status = 'completed' then coalesce(r.files_analyzed, 0) else 0 end as files_analyzed`

/** Pull requests of `chosen` (`repo`, `number`, `listed_event_id`) as entries. */
const entriesOfChosen = sql`
  select ${reviewFields}
  from chosen
  join pull_requests p using (repo, number)
  join events e on e.id = chosen.listed_event_id
  left join workflow_runs r on r.id = e.run_id and r.status = e.status`
