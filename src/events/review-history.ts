// Stores and reads what the reviews of a pull request found one after the other.
import { sql } from 'kysely'
import type { EventStatus } from '../contract/enums.ts'
import type { Db } from '../db/database.ts'
import type { FindingCounts } from '../db/schema.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import type { Verdict } from '../domain/review.ts'

export interface HistoryEntry {
  /** The newest event of the run. */
  readonly eventId: number
  readonly eventType: string
  readonly status: EventStatus
  readonly headSha: string | null
  readonly verdict: Verdict | null
  readonly decision: Record<string, unknown> | null
  /** When it ended, or else when it was requested. */
  readonly at: Date
  /** What changed since the review before; null without a verdict, and in older runs. */
  readonly newFindings: number | null
  readonly fixedFindings: number | null
  readonly dismissedFindings: number | null
  /** Those that were open when it ended. */
  readonly openFindings: number | null
}

const maxEntries = 30

/**
 * Stores with a run how many findings its pull request has now, because later reviews and
 * dismissals change them. Call it after the findings were saved.
 */
export async function saveFindingCounts(
  tx: Db,
  { id, repo, number }: PullRequestRef & { readonly id: number },
): Promise<void> {
  await sql`
    update workflow_runs set finding_counts = (
      select jsonb_build_object(
        'total', count(*),
        'open', count(*) filter (where state = 'open'),
        'fixed', count(*) filter (where resolution = 'fixed'),
        'dismissed', count(*) filter (where state = 'dismissed' or resolution = 'dismissed'))
      from findings where repo = ${repo} and pr_number = ${number})
    where id = ${id}`.execute(tx)
}

const noFindings: FindingCounts = { total: 0, open: 0, fixed: 0, dismissed: 0 }

type RunRow = Omit<HistoryEntry, `${string}Findings`> & {
  readonly counts: FindingCounts | null
  /** Of the review with a verdict before. */
  readonly countsBefore: FindingCounts | null
  readonly isFirst: boolean
}

/** Newest first. A run without an event is left out. */
export async function readReviewHistory(
  db: Db,
  { repo, number }: PullRequestRef,
): Promise<HistoryEntry[]> {
  const { rows } = await sql<RunRow>`
    with runs as (
      select id, status, head_sha, verdict, decision, finding_counts as counts,
        coalesce(finished_at, created_at) as at,
        lag(finding_counts) over reviews as counts_before,
        row_number() over reviews = 1 as is_first
      from workflow_runs where repo = ${repo} and pr_number = ${number}
      window reviews as (partition by verdict is null order by id)
      order by id desc limit ${maxEntries}
    )
    select e.id as event_id, e.event_type, r.status, r.head_sha, r.verdict, r.decision, r.at,
      r.counts, r.counts_before, r.is_first
    from runs r
    join lateral (
      select id, event_type from events
      where repo = ${repo} and pr_number = ${number} and run_id = r.id
      order by id desc limit 1) as e on true
    order by r.id desc`.execute(db)
  return rows.map(({ counts, countsBefore, isFirst, ...entry }) => {
    const before = isFirst ? noFindings : countsBefore
    const since = (kind: keyof FindingCounts) =>
      counts && before && Math.max(0, counts[kind] - before[kind])
    return {
      ...entry,
      newFindings: since('total'),
      fixedFindings: since('fixed'),
      dismissedFindings: since('dismissed'),
      openFindings: counts?.open ?? null,
    }
  })
}
