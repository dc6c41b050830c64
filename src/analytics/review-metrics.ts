// Reads metrics of reviewing in the last days: coverage, duration, cost and results per day.
import { sql } from 'kysely'
import { isInScope, type Scope } from '../accounts/scope.ts'
import type { Db } from '../db/database.ts'
import type { Verdict } from '../domain/review.ts'

/** Median and p90 are null when nothing was counted. */
interface Distribution {
  readonly count: number
  readonly median: number | null
  readonly p90: number | null
}

/** Usage of one model by the runs that ended in the period. */
interface ModelUsageMetrics {
  readonly model: string
  readonly runs: number
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
  /** Sum of the known prices; null when no price is known. */
  readonly costUsd: number | null
}

/** Counts what ended on a day in UTC. */
interface DayMetrics {
  /** `2026-11-22` */
  readonly date: string
  /** Number of posted reviews by verdict; verdicts that no review has are missing. */
  readonly verdicts: Readonly<Partial<Record<Verdict, number>>>
  readonly failed: number
  readonly costUsd: number
}

export interface ReviewMetrics {
  readonly start: Date
  /** When the statement ran, by the database's clock. */
  readonly end: Date
  /** Pull requests with an event in the period; those without a review are counted by state. */
  readonly coverage: {
    readonly pullRequests: number
    readonly reviewed: number
    readonly skipped: number
    readonly failed: number
    readonly underWay: number
  }
  /**
   * Seconds from the arrival of the newest event that a latest review covers to the review's end.
   */
  readonly times: Distribution
  /** Runs that ended in the period, including all their attempts. */
  readonly runs: { readonly posted: number; readonly skipped: number; readonly failed: number }
  readonly cost: {
    readonly totalUsd: number
    /** Shows how much of the total was spent on runs without a review. */
    readonly withoutReviewUsd: number
    /** Cost of each posted review with a known price; the other reviews are counted below. */
    readonly perReview: Distribution
    readonly unknownPrice: number
    readonly withoutModel: number
  }
  /** Sorted by cost, highest first, then name. */
  readonly models: readonly ModelUsageMetrics[]
  /** Cost of scans and searches, which belong to no repository; null unless the scope is `all`. */
  readonly outsideUsd: number | null
  /** Contains every day of the period, oldest first. */
  readonly days: readonly DayMetrics[]
}

/** The period ends now, as in `readInsights`. Percentiles are interpolated linearly. */
export async function readReviewMetrics(
  db: Db,
  scope: Scope,
  days: number,
): Promise<ReviewMetrics> {
  const start = sql`now() - make_interval(hours => ${24 * days})`
  const firstDay = sql`((${start}) at time zone 'UTC')::date`
  const today = sql`(now() at time zone 'UTC')::date`
  const isVisible = isInScope(scope)
  const distributionOf = (value: string) => sql`
    count(${sql.ref(value)}),
    percentile_cont(0.5) within group (order by ${sql.ref(value)}) as median,
    percentile_cont(0.9) within group (order by ${sql.ref(value)}) as p90`
  const { rows } = await sql<ReviewMetrics>`
    with active as materialized (
      select repo, number, verdict is not null as is_reviewed, reviewed_run_id, listed_event_id,
        listed_status as status
      from pull_requests
      where last_event_at >= ${start} and ${isVisible}
    ), coverage as (
      select count(*) as "pullRequests", count(*) filter (where is_reviewed) as reviewed,
        count(*) filter (where not is_reviewed and status = 'completed') as skipped,
        count(*) filter (where not is_reviewed and status = 'failed') as failed,
        count(*) filter (where not is_reviewed and (
          status = 'processing' or status = 'pending' and exists (
            select from events e
            where e.repo = active.repo and e.pr_number = active.number and e.wants_review
              and e.status in ('pending', 'processing')
          )
        )) as "underWay"
      from active
    ), times as (
      select ${distributionOf('seconds')} from (
        select extract(epoch from e.processed_at - e.created_at)::float8 as seconds
        from active join events e on e.id = active.listed_event_id
        where active.status = 'completed' and e.run_id = active.reviewed_run_id
          and e.processed_at >= ${start}) as latest
    ), ended as materialized (
      select id, status, verdict, (finished_at at time zone 'UTC')::date as day
      from workflow_runs
      where finished_at >= ${start} and ${isVisible}
    ), spent as materialized (
      select model_spend.* from model_spend join ended on ended.id = run_id
    ), costs as materialized (
      select ended.*, coalesce(cost, 0) as cost, run_id is not null as has_model,
        coalesce(is_unknown, false) as is_unknown
      from ended left join (
        select run_id, sum(cost_usd) as cost, bool_or(cost_usd is null) as is_unknown
        from spent group by run_id
      ) as used on run_id = ended.id
    ), runs as (
      select count(verdict) as posted,
        count(*) filter (where verdict is null and status = 'completed') as skipped,
        count(*) filter (where status = 'failed') as failed
      from ended
    ), known as (
      select ${distributionOf('cost')} from costs
      where verdict is not null and has_model and not is_unknown
    ), cost as (
      select coalesce(sum(cost), 0) as "totalUsd",
        coalesce(sum(cost) filter (where verdict is null), 0) as "withoutReviewUsd",
        (select row_to_json(known) from known) as "perReview",
        count(*) filter (where verdict is not null and is_unknown) as "unknownPrice",
        count(*) filter (where verdict is not null and not has_model) as "withoutModel"
      from costs
    ), models as (
      select model, count(distinct run_id) as runs, sum(calls) as calls,
        sum(input_tokens) as "inputTokens", sum(output_tokens) as "outputTokens",
        sum(cached_input_tokens) as "cachedInputTokens", sum(cost_usd) as "costUsd"
      from spent group by model
    ), counted as (
      select day, verdict, count(*) as n, count(*) filter (where status = 'failed') as failed,
        sum(cost) as cost
      from costs group by day, verdict
    ), days as (
      select day as date, coalesce(sum(failed), 0) as failed, coalesce(sum(cost), 0) as "costUsd",
        coalesce(json_object_agg(verdict, n) filter (where verdict is not null), '{}') as verdicts
      from (
        select ${firstDay} + n as day from generate_series(0, ${today} - ${firstDay}) as n
      ) as all_days left join counted using (day)
      group by day
    )
    select ${start} as start, now() as "end",
      (select row_to_json(coverage) from coverage) as coverage,
      (select row_to_json(times) from times) as times,
      (select row_to_json(runs) from runs) as runs,
      (select row_to_json(cost) from cost) as cost,
      (
        select coalesce(
          json_agg(models order by "costUsd" desc nulls last, model collate "C"), '[]'
        )
        from models
      ) as models,
      case when ${scope === 'all'}::boolean then (
        select coalesce(sum(cost_usd), 0) from model_spend
        where run_id is null and created_at >= ${start}
      ) end as "outsideUsd",
      (select json_agg(days order by date) from days) as days`.execute(db)
  return rows[0] as ReviewMetrics
}
