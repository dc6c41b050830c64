// Lists the findings of all pull requests with what became of them, page by page.
import { type RawBuilder, sql } from 'kysely'
import { isInScope, type Scope } from '../accounts/scope.ts'
import type { ResponseRecord } from '../contract/endpoint.ts'
import { type FindingOutcome, type Severity, severities } from '../contract/enums.ts'
import type {
  findingSorts,
  listFindings as listFindingsEndpoint,
} from '../contract/finding-endpoints.ts'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import { findingOutcome, joinDismissal, joinReviewed } from './finding-outcomes.ts'

export type FindingEntry = ResponseRecord<typeof listFindingsEndpoint>['findings'][number]

/** Each field restricts the findings, if given. */
export interface FindingFilter {
  readonly severity?: Severity | undefined
  readonly rule?: string | undefined
  readonly category?: string | undefined
  readonly by?: 'rule' | 'model' | undefined
  readonly outcomes?: readonly FindingOutcome[] | undefined
  readonly author?: string | undefined
  /** Findings that were first reported in the last days. */
  readonly days?: number | undefined
  /** Findings of pull requests that were merged in the last days. */
  readonly mergedDays?: number | undefined
  /** A part of the title, the path or the rule; empty for all. */
  readonly search: string
}

export interface FindingQuery extends FindingFilter {
  readonly scope: Scope
  readonly sort: (typeof findingSorts)[number]
  readonly limit: number
  /** Selects what comes after the finding with this id. */
  readonly before?: number | undefined
}

/** Findings of reviews that weren't completed are left out, because they weren't posted. */
export async function listFindings(db: Db, query: FindingQuery): Promise<FindingEntry[]> {
  if (query.scope !== 'all' && query.scope.length === 0) return []
  const order = orders[query.sort]
  const { rows } = await sql<FindingEntry>`
    with chosen as materialized (${selectChosen(query)})
    select f.id, p.listed_event_id as review_id, f.fingerprint, f.repo as repo_name, f.pr_number,
      p.title as pr_title, p.state as pr_status, p.url as pr_url, p.author, f.severity, f.category,
      f.rule, f.reviewer, f.title, f.path, f.start_line, ${findingOutcome} as outcome,
      d.login as dismissed_by, d.reason as dismissal_reason, d.kind as dismissal_kind,
      f.created_at, f.resolved_at, f.comment_url
    from chosen
    join findings f using (id)
    join pull_requests p on p.repo = f.repo and p.number = f.pr_number
    ${joinDismissal}
    order by ${order}`.execute(db)
  return rows
}

const ascending = sql`array['minor', 'moderate', 'critical']`
const rank = sql`array_position(${ascending}, f.severity)`

const orders = {
  newest: sql`f.created_at desc, f.id desc`,
  oldest: sql`f.created_at, f.id`,
  severity: sql`${rank} desc, f.created_at desc, f.id desc`,
}

/** Each severity is read in the order of an index, and the first ones are merged. */
function selectChosen(query: FindingQuery): RawBuilder<unknown> {
  if (query.sort !== 'severity') return selectInOrder(query, sql`f.created_at`)
  const listed = query.severity === undefined ? severities : [query.severity]
  const lanes = listed.map((severity) => {
    const lane = sql`array_position(${ascending}, ${severity})`
    // The lane of a higher severity was read already, and that of a lower one begins.
    const bound = sql`
      case when ${rank} > ${lane} then 'infinity' when ${rank} < ${lane} then '-infinity'
        else f.created_at end`
    return sql`(${selectInOrder({ ...query, severity }, bound)})`
  })
  return sql`
    select f.id from (${sql.join(lanes, sql` union all `)}) as f
    order by ${orders.severity} ${limitRows(query.limit)}`
}

/** @param bound the time of the cursor's finding, from which the next ones are read */
function selectInOrder(query: FindingQuery, bound: RawBuilder<unknown>): RawBuilder<unknown> {
  const { scope, sort, limit, before } = query
  const follows = sort === 'oldest' ? sql`>` : sql`<`
  const after =
    before === undefined
      ? sql``
      : sql`and (f.created_at, f.id) ${follows} (
          select ${bound}, f.id from findings f where id = ${before})`
  return sql`
    select f.id, f.severity, f.created_at
    from findings f
    ${joinReviewed}
    where ${isInScope(scope, 'f.repo')} ${isSelected(query)} ${after}
    order by ${sort === 'oldest' ? orders.oldest : orders.newest} ${limitRows(limit)}`
}

/** A SQL condition that a finding `f` of the pull request `p` passes the filter. */
export function isSelected(filter: FindingFilter): RawBuilder<unknown> {
  const { severity, rule, category, by, outcomes, author, days, mergedDays, search } = filter
  const since = (length: number) => sql`now() - make_interval(days => ${length}::int)`
  const conditions = [
    severity && sql`f.severity = ${severity}`,
    rule && sql`f.rule = ${rule}`,
    category && sql`f.category = ${category}`,
    by && (by === 'model' ? sql`f.rule is null` : sql`f.rule is not null`),
    outcomes && sql`(${sql.join(outcomes.map(hasOutcome), sql` or `)})`,
    author && sql`p.author = ${author}`,
    days && sql`f.created_at >= ${since(days)}`,
    mergedDays && sql`p.merged_at between ${since(mergedDays)} and now()`,
    search && sql`${searchedText} ilike ${`%${search.replace(/[\\%_]/g, '\\$&')}%`}`,
  ]
  return sql.join(
    conditions.filter((condition) => typeof condition === 'object').map((one) => sql`and ${one}`),
    sql` `,
  )
}

/** PostgreSQL has an index of this expression. A match doesn't span two fields. */
const searchedText = sql`(f.title || chr(31) || f.path || chr(31) || coalesce(f.rule, ''))`

/** The columns are in an index; the dismissals of open findings are few. */
function hasOutcome(outcome: FindingOutcome): RawBuilder<unknown> {
  const isPending = sql`exists (
    select from dismissals d where d.repo = f.repo and d.pr_number = f.pr_number
      and d.fingerprint = f.fingerprint and d.reopened = f.reopened)`
  const isOpen = sql`f.state = 'open' and not ${isPending}`
  if (outcome === 'open') return sql`${isOpen} and f.placement <> 'held_back'`
  if (outcome === 'suppressed') return sql`${isOpen} and f.placement = 'held_back'`
  const isResolved = sql`f.state = 'resolved' and f.resolution = ${outcome}`
  if (outcome !== 'dismissed') return isResolved
  return sql`(f.state = 'dismissed' or ${isResolved} or f.state = 'open' and ${isPending})`
}
