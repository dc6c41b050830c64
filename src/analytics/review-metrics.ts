// Reads metrics of reviewing in the last days: coverage, duration, cost and results per day.
import { sql } from 'kysely'
import { isInScope, type Scope } from '../accounts/scope.ts'
import type { ResponseRecord } from '../contract/endpoint.ts'
import type { reviewMetrics } from '../contract/review-metrics-endpoints.ts'
import type { Db } from '../db/database.ts'

type Body = ResponseRecord<typeof reviewMetrics>

/** Verdicts that no review of a day has are missing. */
export interface ReviewMetrics extends Pick<Body, 'timeToReview' | 'reviews' | 'cost'> {
  readonly start: Date
  /** When the statement ran, by the database's clock. */
  readonly end: Date
  readonly coverage: Omit<Body['coverage'], 'notAsked'>
  readonly days: readonly (Omit<Body['days'][number], 'verdicts'> & {
    readonly verdicts: Partial<Body['days'][number]['verdicts']>
  })[]
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
  const distributionOf = (value: string, unit: string) => sql`
    count(${sql.ref(value)}),
    percentile_cont(0.5) within group (order by ${sql.ref(value)}) as ${sql.raw(`"median${unit}"`)},
    percentile_cont(0.9) within group (order by ${sql.ref(value)}) as ${sql.raw(`"p90${unit}"`)}`
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
      select ${distributionOf('seconds', 'Seconds')} from (
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
      select ${distributionOf('cost', 'Usd')} from costs
      where verdict is not null and has_model and not is_unknown
    ), models as (
      select model, count(distinct run_id) as runs, sum(calls) as calls,
        sum(input_tokens) as "inputTokens", sum(output_tokens) as "outputTokens",
        sum(cached_input_tokens) as "cachedInputTokens", sum(cost_usd) as "costUsd"
      from spent group by model
    ), cost as (
      select coalesce(sum(cost), 0) as "totalUsd",
        coalesce(sum(cost) filter (where verdict is null), 0) as "withoutReviewUsd",
        (select row_to_json(known) from known) as "perReview",
        count(*) filter (where verdict is not null and is_unknown) as "unknownPrice",
        count(*) filter (where verdict is not null and not has_model) as "withoutModel",
        case when ${scope === 'all'}::boolean then (
          select coalesce(sum(cost_usd), 0) from model_spend
          where run_id is null and created_at >= ${start}
        ) end as "outsideUsd",
        (
          select coalesce(
            json_agg(models order by "costUsd" desc nulls last, model collate "C"), '[]'
          )
          from models
        ) as models
      from costs
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
      (select row_to_json(times) from times) as "timeToReview",
      (select row_to_json(runs) from runs) as reviews,
      (select row_to_json(cost) from cost) as cost,
      (select json_agg(days order by date) from days) as days`.execute(db)
  return rows[0] as ReviewMetrics
}
