// Reads what the reviews of a pull request found one after the other.
import { sql } from 'kysely'
import type { EventStatus } from '../contract/enums.ts'
import type { Db } from '../db/database.ts'
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
  readonly newFindings: number
  readonly fixedFindings: number
  readonly openFindings: number
}

const maxEntries = 30

/** Newest first. A run without an event is left out. */
export async function readReviewHistory(
  db: Db,
  { repo, number }: PullRequestRef,
): Promise<HistoryEntry[]> {
  const { rows } = await sql<HistoryEntry>`
    with runs as (
      select *, lag(finished_at) over (order by id) as previous_at
      from workflow_runs where repo = ${repo} and pr_number = ${number}
      order by id desc limit ${maxEntries}
    ), own as (
      select first_run_id, resolved_at, state, resolution from findings
      where repo = ${repo} and pr_number = ${number}
    )
    select e.id as event_id, e.event_type, r.status, r.head_sha, r.verdict, r.decision,
      coalesce(r.finished_at, r.created_at) as at,
      count(f.first_run_id) filter (where f.first_run_id = r.id) as new_findings,
      count(f.first_run_id) filter (
        where f.resolution = 'fixed' and f.resolved_at <= r.finished_at
          and (previous_at is null or f.resolved_at > previous_at)) as fixed_findings,
      count(f.first_run_id) filter (
        where f.state <> 'dismissed'
          and (f.resolved_at is null or f.resolved_at > r.finished_at)) as open_findings
    from runs r
    join lateral (
      select id, event_type from events
      where repo = ${repo} and pr_number = ${number} and run_id = r.id
      order by id desc limit 1) as e on true
    left join own f on f.first_run_id <= r.id
    group by r.id, e.id, e.event_type, r.status, r.head_sha, r.verdict, r.decision,
      r.finished_at, r.created_at
    order by r.id desc`.execute(db)
  return rows
}
