// Selects and counts pull requests for the inbox, by tab and filters.
import { type RawBuilder, sql } from 'kysely'
import { isInScope, type Scope } from '../accounts/scope.ts'
import type { ResponseRecord } from '../contract/endpoint.ts'
import { type InboxTab, inboxTabs, type Severity, severities } from '../contract/enums.ts'
import type * as contract from '../contract/inbox-endpoints.ts'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { reviewFields } from './list-reviews.ts'
import { makeSearchPattern } from './search-text.ts'

type Entry = ResponseRecord<typeof contract.listInbox>['entries'][number]

/** `decision` has the ends of the review. */
export interface InboxEntry extends Omit<Entry, 'ends'> {
  readonly decision: Record<string, unknown> | null
}

type InboxCounts = ResponseRecord<typeof contract.countInbox>

export interface InboxFilter {
  readonly tab: InboxTab
  /** Matches a part of the title, repository or number; empty for all. */
  readonly search: string
  readonly repo?: RepositoryName | undefined
  readonly author?: string | undefined
  readonly verdict?: string | undefined
  readonly severity?: Severity | undefined
}

interface InboxPage {
  readonly limit: number
  /** Selects entries whose event has a smaller id. */
  readonly before?: number | undefined
}

const maxFacetValues = 100

/** The work of a review that waits or runs. `p` is the pull request. */
const joinWork = sql`
  left join work_items w on w.kind = 'review' and w.repo = p.repo and w.number = p.number`

const isWithoutWork = sql`w.repo is null`
const needsAction = sql`
  (p.listed_status = 'failed' or p.verdict in ('REQUEST_CHANGES', 'NEEDS_DISCUSSION'))`

/** The conditions of the tabs exclude each other, except that of all. */
const tabConditions: Readonly<Record<InboxTab, RawBuilder<unknown>>> = {
  attention: sql`p.state = 'open' and ${isWithoutWork} and ${needsAction}`,
  in_progress: sql`p.state = 'open' and not (${isWithoutWork})`,
  passed: sql`
    p.state = 'open' and ${isWithoutWork} and not ${needsAction} and p.verdict = 'APPROVE'`,
  merged: sql`p.state = 'merged'`,
  all: sql`true`,
}

const hasFindings = (severity: Severity) => sql`p.${sql.ref(`${severity}_count`)} > 0`

/** Newest first. */
export async function listInbox(
  db: Db,
  scope: Scope,
  filter: InboxFilter,
  { limit, before }: InboxPage,
): Promise<InboxEntry[]> {
  if (scope !== 'all' && scope.length === 0) return []
  const isBefore = before === undefined ? sql`true` : sql`p.listed_event_id < ${before}`
  const { rows } = await sql<InboxEntry>`
    with chosen as materialized (
      select p.repo, p.number, p.listed_event_id, w.status as progress
      from pull_requests p ${joinWork}
      where ${isListed(scope, filter.search)} and ${isBefore}
        and ${tabConditions[filter.tab]} and ${sql.join(matchAll(filter), sql` and `)}
      order by p.listed_event_id desc ${limitRows(limit)}
    )
    select ${reviewFields}, p.draft, p.verdict, p.critical_count, p.moderate_count,
      p.minor_count, p.additions, p.deletions, chosen.progress, r.decision
    from chosen
    join pull_requests p using (repo, number)
    join events e on e.id = chosen.listed_event_id
    left join workflow_runs r on r.id = e.run_id and r.status = e.status
    order by e.id desc`.execute(db)
  return rows
}

/**
 * Each filter is left out of the counts of its own values, so that another one can be chosen. Tabs
 * of open pull requests read only these.
 */
export async function countInbox(db: Db, scope: Scope, filter: InboxFilter): Promise<InboxCounts> {
  const matches = matchEach(filter)
  const listed = isListed(scope, filter.search)
  const pullRequests = (tab: InboxTab, excluded?: keyof typeof matches) => {
    const others = Object.entries(matches).filter(([name]) => name !== excluded)
    const conditions = [listed, tabConditions[tab], ...others.map(([, condition]) => condition)]
    return sql`pull_requests p ${joinWork} where ${sql.join(conditions, sql` and `)}`
  }
  const countTab = (tab: InboxTab) => sql`
    select 'tab' as facet, ${sql.lit(tab)} as value, count(*) as count from ${pullRequests(tab)}`
  const countValues = (name: keyof typeof facetValues) => sql`(
    select ${sql.lit(name)}, ${facetValues[name]}, count(*)
    from ${pullRequests(filter.tab, name)}
    group by 2 order by 3 desc, 2 ${limitRows(maxFacetValues)})`
  const countSeverity = (severity: Severity) => sql`
    select 'severity', ${sql.lit(severity)}, count(*)
    from ${pullRequests(filter.tab, 'severity')} and ${hasFindings(severity)}`
  const { rows } = await sql<{ facet: string; value: string; count: number }>`${sql.join(
    [
      ...inboxTabs.map(countTab),
      ...(['repo', 'author', 'verdict'] as const).map(countValues),
      ...severities.map(countSeverity),
    ],
    sql` union all `,
  )}`.execute(db)
  const valuesOf = (name: string) =>
    rows
      .filter(({ facet, count }) => facet === name && count > 0)
      .map(({ value, count }) => ({ value, count }))
  const countOf = (tab: InboxTab) => valuesOf('tab').find(({ value }) => value === tab)?.count ?? 0
  return {
    tabs: {
      attention: countOf('attention'),
      inProgress: countOf('in_progress'),
      passed: countOf('passed'),
      merged: countOf('merged'),
      all: countOf('all'),
    },
    repo: valuesOf('repo'),
    author: valuesOf('author'),
    verdict: valuesOf('verdict'),
    severity: valuesOf('severity'),
  }
}

const facetValues = {
  repo: sql`p.repo`,
  author: sql`p.author`,
  verdict: sql`coalesce(p.verdict, 'UNKNOWN')`,
} as const

/** The conditions of the filters except the tab and the search. */
function matchEach({ repo, author, verdict, severity }: InboxFilter) {
  const isSame = (column: string, value: string | undefined) =>
    value === undefined ? sql`true` : sql`p.${sql.ref(column)} = ${value}`
  return {
    repo: isSame('repo', repo),
    author: isSame('author', author),
    verdict: verdict === 'UNKNOWN' ? sql`p.verdict is null` : isSame('verdict', verdict),
    severity: severity === undefined ? sql`true` : hasFindings(severity),
  }
}

function matchAll(filter: InboxFilter): RawBuilder<unknown>[] {
  return Object.values(matchEach(filter))
}

/** A new pull request has no listed event until its first event is stored. */
function isListed(scope: Scope, search: string): RawBuilder<unknown> {
  const isFound =
    search === ''
      ? sql`true`
      : sql`(p.repo, p.number) in (
          select repo, number from pull_request_search
          where text like ${makeSearchPattern(search)})`
  return sql`p.listed_event_id is not null and ${isInScope(scope, 'p.repo')} and ${isFound}`
}
