// Reads statistics of the pull requests that were active in the last days, in one statement.
import { sql } from 'kysely'
import { isInScope, type Scope } from '../accounts/scope.ts'
import type { insights } from '../contract/analytics-endpoints.ts'
import type { ResponseRecord } from '../contract/endpoint.ts'
import type { Db } from '../db/database.ts'

type Body = ResponseRecord<typeof insights>

/**
 * Covers pull requests that had an event in the period, by their state at its end. Verdicts and
 * confidences that no review has are missing. Percentiles of nothing are null.
 */
export interface Insights extends Pick<Body, 'authors' | 'repos' | 'issueCategories'> {
  readonly start: Date
  /** When the statement ran, by the database's clock. */
  readonly end: Date
  readonly mergeMetrics: Nullable<Body['mergeMetrics'], 'medianHours' | 'p90Hours'>
  readonly verdicts: Partial<Body['verdicts']>
  readonly confidenceDist: Partial<Body['confidenceDist']>
  readonly prSize: Nullable<Body['prSize'], 'median' | 'p90'>
}

type Nullable<Fields, Name extends keyof Fields> = Omit<Fields, Name> &
  Readonly<Record<Name, number | null>>

/** Hours from creation to merge; null when the merge is earlier than the creation. */
const hours = sql`
  case when merged_at >= opened_at
    then extract(epoch from merged_at - opened_at)::float8 / 3600 end`

/** The same username at two hosts is two people. Most names have no host, which is fast to see. */
const authorAtHost = sql`
  case when strpos(repo, '@') = 0 then author else author || host_of(repo) end`

/**
 * Reads the statistics of the last `days`. Percentiles are interpolated linearly. The period ends
 * now, so a pull request was active in it exactly when its newest event is not older than the
 * start.
 */
export async function readInsights(db: Db, scope: Scope, days: number): Promise<Insights> {
  // The expression is repeated in the SQL, so that the planner can estimate the number of rows.
  const start = sql`now() - make_interval(hours => ${24 * days})`
  const isVisible = isInScope(scope)
  const { rows } = await sql<Insights>`
    with active as materialized (
      select repo, ${authorAtHost} as author, verdict, confidence,
        critical_count, moderate_count, minor_count,
        additions::float8 + deletions as size,
        coalesce(merged_at between ${start} and now(), false) as is_merged,
        ${hours} as hours
      from pull_requests
      where last_event_at >= ${start} and ${isVisible}
    ), grouped as (
      select author, repo, count(*) as prs, count(*) filter (where is_merged) as merged,
        sum(critical_count + moderate_count + minor_count) as "issuesFlagged",
        coalesce(round(avg(confidence), 1), 0) as "avgConfidence"
      from active group by grouping sets ((author), (repo))
    ), unannounced as (
      -- Merges without an event: they were noticed when the platform was asked for the state.
      select ${hours} as hours from pull_requests
      where merged_at > last_event_at and merged_at between ${start} and now()
        and last_event_at < ${start} and ${isVisible}
    ), merges as (
      select count(*), percentile_cont(0.5) within group (order by hours) as "medianHours",
        percentile_cont(0.9) within group (order by hours) as "p90Hours"
      from (
        select hours from active where is_merged union all select hours from unannounced
      ) as merged
      where hours is not null
    ), sizes as (
      select percentile_cont(0.5) within group (order by size) as median,
        percentile_cont(0.9) within group (order by size) as p90
      from active
    ), issues as (
      select coalesce(sum(critical_count), 0) as critical,
        coalesce(sum(moderate_count), 0) as moderate,
        coalesce(sum(minor_count), 0) as minor
      from active
    ), judged as (
      select verdict, confidence, count(*) as n from active where verdict is not null
      group by grouping sets ((verdict), (confidence))
    )
    select ${start} as start, now() as "end",
      (select row_to_json(merges) from merges) as "mergeMetrics",
      (select row_to_json(sizes) from sizes) as "prSize",
      (select row_to_json(issues) from issues) as "issueCategories",
      (select coalesce(json_agg(grouped order by prs desc, author collate "C"), '[]')
        from grouped where author is not null) as authors,
      (select coalesce(json_agg(grouped order by prs desc, repo collate "C"), '[]')
        from grouped where repo is not null) as repos,
      (select coalesce(json_object_agg(verdict, n), '{}')
        from judged where verdict is not null) as verdicts,
      (select coalesce(json_object_agg(confidence, n), '{}')
        from judged where confidence is not null) as "confidenceDist"`.execute(db)
  return rows[0] as Insights
}
