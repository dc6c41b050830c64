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
  readonly dismissedFindings: number
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
      select f.first_run_id, f.resolved_at, f.resolution, d.created_at as dismissed_at,
        least(f.resolved_at, d.created_at) as closed_at
      from findings f left join dismissals d on d.repo = f.repo and d.pr_number = f.pr_number
        and d.fingerprint = f.fingerprint and d.reopened = f.reopened
      where f.repo = ${repo} and f.pr_number = ${number}
    )
    select e.id as event_id, e.event_type, r.status, r.head_sha, r.verdict, r.decision,
      coalesce(r.finished_at, r.created_at) as at,
      count(f.first_run_id) filter (where f.first_run_id = r.id) as new_findings,
      count(f.first_run_id) filter (
        where f.resolution = 'fixed' and f.resolved_at <= r.finished_at
          and (previous_at is null or f.resolved_at > previous_at)) as fixed_findings,
      count(f.first_run_id) filter (
        where f.dismissed_at <= r.finished_at
          and (previous_at is null or f.dismissed_at > previous_at)) as dismissed_findings,
      count(f.first_run_id) filter (
        where f.closed_at is null or f.closed_at > r.finished_at) as open_findings
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
