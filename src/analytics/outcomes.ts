// Reads what became of findings and pull requests in the last days and in the days before them.
import { type RawBuilder, sql } from 'kysely'
import { isInScope, type Scope } from '../accounts/scope.ts'
import type { ResponseRecord } from '../contract/endpoint.ts'
import type { outcomes } from '../contract/outcome-endpoints.ts'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import { findingOutcome, joinDismissal, meansWrong } from '../events/finding-outcomes.ts'

type Body = ResponseRecord<typeof outcomes>

/** Times in lists are texts, because these are read as JSON. */
export interface Outcomes extends Omit<Body, 'period' | 'parts' | 'openCritical'> {
  readonly start: Date
  /** When the statement ran, by the database's clock. */
  readonly end: Date
  readonly parts: readonly (Omit<Body['parts'][number], 'start' | 'end'> & {
    readonly start: string
    readonly end: string
  })[]
  readonly openCritical: readonly (Omit<Body['openCritical'][number], 'mergedAt'> & {
    readonly mergedAt: string
  })[]
}

/** The charts show at most this many parts of a period. */
const maxParts = 15

/** What became of the findings of a rule is counted for this many pull requests or dismissals. */
const maxSample = 2000

/**
 * Reads the outcomes of the last `days`, for the pull requests that were merged in them. The period
 * ends now. Findings count as they are since the last review: nothing changes them after a merge.
 */
export async function readOutcomes(db: Db, scope: Scope, days: number): Promise<Outcomes> {
  const ago = (length: number) => sql`now() - make_interval(hours => ${24 * length})`
  const [start, previousStart] = [ago(days), ago(2 * days)]
  const partDays = Math.ceil(days / maxParts)
  const partCount = Math.ceil(days / partDays)
  // Part 0 is the newest one.
  const partOf = (time: string) =>
    sql`floor(date_part('epoch', now() - ${sql.ref(time)}) / ${86_400 * partDays}::float8)::int`
  const isIn = (time: string) =>
    sql`${sql.ref(time)} between ${previousStart} and now() and ${isInScope(scope)}`
  const { rows } = await sql<Outcomes>`
    with recent as materialized (
      select repo, number, reviewed_run_id, merged_at, first_requested_at, first_reviewed_at,
        fixed_count as fixed, dismissed_count as dismissed, open_count as open,
        open_critical_count as critical
      from pull_requests where ${isIn('merged_at')} or ${isIn('first_reviewed_at')}
    ), merged as materialized (
      select *, merged_at >= ${start} as is_current, ${partOf('merged_at')} as part,
        fixed + dismissed + open as findings
      from recent where merged_at between ${previousStart} and now()
    ), first_reviews as materialized (
      select first_reviewed_at >= ${start} as is_current, ${partOf('first_reviewed_at')} as part,
        date_part('epoch', first_reviewed_at - first_requested_at) as seconds
      from recent where first_reviewed_at between ${previousStart} and now()
        and first_requested_at <= first_reviewed_at
    ), dismissed as materialized (
      select repo, pr_number, fingerprint, created_at, created_at >= ${start} as is_current,
        ${partOf('created_at')} as part, kind, left(trim(reason), 200) as reason
      from dismissals where ${isIn('created_at')}
    ), merged_parts as materialized (
      select is_current, part, count(*) as pulls, count(reviewed_run_id) as reviewed,
        sum(findings) as findings, sum(fixed) as fixed, sum(dismissed) as dismissed,
        sum(open) as open, count(*) filter (where critical > 0) as critical
      from merged group by is_current, part
    ), dismissed_parts as materialized (
      select is_current, part, count(*) from dismissed group by is_current, part
    ), periods as (
      select is_current from unnest(array[true, false]) as is_current
    ), results as (
      select is_current, coalesce(sum(pulls), 0) as "pullRequests",
        coalesce(sum(reviewed), 0) as reviewed, coalesce(sum(findings), 0) as findings,
        coalesce(sum(fixed), 0) as fixed, coalesce(sum(dismissed), 0) as dismissed,
        coalesce(sum(open), 0) as open, coalesce(sum(critical), 0) as "withOpenCritical"
      from periods left join merged_parts using (is_current) group by is_current
    ), waits as (
      select is_current, count(seconds),
        percentile_cont(0.5) within group (order by seconds) as "medianSeconds",
        percentile_cont(0.9) within group (order by seconds) as "p90Seconds"
      from periods left join first_reviews using (is_current) group by is_current
    ), parts as (${selectParts({ start, partDays, partCount })}), rules as (${selectRules}),
    rule_counts as (${selectDismissedRules}), reason_counts as (
      select min(reason collate "C") as reason, count(*) from dismissed where is_current
      group by lower(reason) order by count desc, reason limit 20
    ), open_critical as (${selectOpenCritical})
    select ${start} as start, now() as "end", ${previousStart} as "previousStart",
      (select ${compare(sql`results`)} from results) as merged,
      json_build_object(
        'current', (select coalesce(sum(count), 0) from dismissed_parts where is_current),
        'previous', (select coalesce(sum(count), 0) from dismissed_parts where not is_current),
        'byRule', (select coalesce(json_agg(rule_counts), '[]') from rule_counts),
        'byReason', (select coalesce(json_agg(reason_counts), '[]') from reason_counts)
      ) as dismissals,
      (select ${compare(sql`waits`)} from waits) as "firstReview",
      (select coalesce(json_agg(rules), '[]') from rules) as rules,
      (select json_agg(parts order by part desc) from parts) as parts,
      (select coalesce(json_agg(open_critical order by "mergedAt" desc, "repoName", "prNumber"),
        '[]') from open_critical) as "openCritical"`.execute(db)
  return rows[0] as Outcomes
}

/** Builds an object with the rows of the period and of the one before it. */
function compare(row: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`json_object_agg(case when is_current then 'current' else 'previous' end, ${row})`
}

function selectParts({
  start,
  partDays,
  partCount,
}: {
  start: RawBuilder<unknown>
  partDays: number
  partCount: number
}): RawBuilder<unknown> {
  const end = sql`now() - make_interval(hours => ${24 * partDays} * part)`
  const length = sql`make_interval(hours => ${24 * partDays})`
  return sql`
    select part, greatest(${start}, ${end} - ${length}) as start, ${end} as "end",
      coalesce(m.findings, 0) as findings, coalesce(m.fixed, 0) as fixed,
      coalesce(m.critical, 0) as "withOpenCritical", coalesce(d.count, 0) as dismissals,
      w.median as "firstReviewMedianSeconds"
    from generate_series(0, ${partCount - 1}::int) as part
    left join (select * from merged_parts where is_current) as m using (part)
    left join (select * from dismissed_parts where is_current) as d using (part)
    left join (
      select part, percentile_cont(0.5) within group (order by seconds) as median
      from first_reviews where is_current group by part) as w using (part)`
}

const ruleOfFinding = sql`f.rule, case when f.rule is null then f.category end as category`

/** The newest dismissals of the period, each with the rule of its finding. */
const dismissedFindings = sql`
  select d.*, found.* from (
    select * from dismissed where is_current order by created_at desc ${limitRows(maxSample)}
  ) as d, lateral (
    select ${ruleOfFinding} from findings f
    where f.repo = d.repo and f.pr_number = d.pr_number and f.fingerprint = d.fingerprint
    offset 0
  ) as found`

/**
 * Findings of merged pull requests, and those that were dismissed in others, so that a rule whose
 * findings are all dismissed is listed at once. Reads few rows for each pull request by an index,
 * however many findings there are.
 */
const selectRules = sql`
  select rule, category, count(*) filter (where outcome = 'fixed') as fixed,
    count(*) filter (where outcome = 'dismissed') as dismissed,
    count(*) filter (where outcome = 'dismissed' and is_wrong) as wrong,
    count(*) filter (where outcome in ('open', 'suppressed')) as open, count(*) as findings
  from (
    select rule, category, outcome, is_wrong from (
      select repo, number, reviewed_run_id from merged where is_current and findings > 0
      order by merged_at desc ${limitRows(maxSample)}
    ) as m, lateral (
      select ${ruleOfFinding}, ${findingOutcome} as outcome, ${meansWrong} as is_wrong
      from findings f ${joinDismissal}
      where f.repo = m.repo and f.pr_number = m.number and f.first_run_id <= m.reviewed_run_id
      offset 0
    ) as found
    union all
    select rule, category, 'dismissed', ${meansWrong} from (${dismissedFindings}) as d
    where (repo, pr_number) not in (select repo, number from merged where is_current)
  ) as decided
  where outcome not in ('replaced', 'withdrawn')
  group by rule, category order by findings desc, rule collate "C", category limit 50`

const selectDismissedRules = sql`
  select rule, category, count(*) from (${dismissedFindings}) as found
  group by rule, category order by count desc, rule collate "C", category limit 20`

const selectOpenCritical = sql`
  select p.listed_event_id as "reviewId", p.repo as "repoName", p.number as "prNumber",
    p.title as "prTitle", p.url as "prUrl", p.author, p.merged_at as "mergedAt", m.critical,
    r.head_sha is not distinct from p.head_sha as "lastCommitReviewed"
  from (
    select * from merged where is_current and critical > 0
    order by merged_at desc, repo, number limit 50
  ) as m
  join pull_requests p using (repo, number)
  join workflow_runs r on r.id = p.reviewed_run_id`
