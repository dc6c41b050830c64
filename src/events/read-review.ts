// Reads one review with its run, its findings and the deliveries for its pull request.
import { type RawBuilder, sql } from 'kysely'
import { isInScope, type Scope } from '../accounts/scope.ts'
import type { ResponseRecord } from '../contract/endpoint.ts'
import type * as contract from '../contract/review-endpoints.ts'
import type { Db } from '../db/database.ts'
import type { Impact } from '../domain/impact.ts'
import type { Coverage } from '../domain/review.ts'
import { deliveryOutcome, listPullRequestDeliveries } from './list-deliveries.ts'
import { reviewFields } from './list-reviews.ts'
import { type HistoryEntry, readReviewHistory } from './review-history.ts'
import { readFinding, selectFindings } from './select-findings.ts'

type Body = ResponseRecord<typeof contract.readReview>

/** An entry of the list with the details of its run; they are null while there is no run. */
export interface ReviewDetail
  extends Omit<
    Body,
    'confidenceReason' | 'ends' | 'coverage' | 'reach' | 'warnings' | 'findings' | 'history'
  > {
  readonly coverage: Coverage | null
  readonly reach: Impact | null
  readonly warnings: Body['warnings'] | null
  readonly findings: Awaited<ReturnType<typeof listReviewFindings>>
  readonly history: readonly HistoryEntry[]
}

/** The limit is higher than the platform's. The most severe findings come first. */
const maxListedFindings = 500
const maxListedDeliveries = 100

/** Reads the review of an event; undefined when there is no such event in the scope. */
export async function readReview(
  db: Db,
  scope: Scope,
  id: number,
): Promise<ReviewDetail | undefined> {
  const { rows } = await sql<
    Omit<ReviewDetail, 'findings' | 'history' | 'deliveries'> & { runId: number | null }
  >`
    select ${reviewFields}, p.draft, ${deliveryOutcome} as outcome, r.id as run_id,
      r.error, r.error_code, coalesce(r.attempts, 0) as attempts, w.due_at as retry_at,
      r.verdict, r.confidence, r.head_sha, r.published_url, r.coverage, r.usage, r.sources,
      r.reach, r.decision, r.timings, r.warnings,
      case when x.id is not null then jsonb_build_object(
        'reviewId', ${newestEventOf('x.id', 'e')}, 'timings', x.timings, 'usage', x.usage
      ) end as examination
    from events e
    join pull_requests p on p.repo = e.repo and p.number = e.pr_number
    left join workflow_runs r on r.id = e.run_id and r.status = e.status
    left join workflow_runs x on x.id = (r.decision ->> 'decidedAgain')::bigint
    left join work_items w on w.kind = 'review' and w.repo = r.repo and w.number = r.pr_number
      and w.status = 'pending' and r.status = 'pending'
    where e.id = ${id} and ${isInScope(scope, 'e.repo')}`.execute(db)
  const [row] = rows
  if (row === undefined) return undefined
  const { runId, ...review } = row
  const ref = { repo: review.repoName, number: review.prNumber }
  return {
    ...review,
    findings: runId === null ? [] : await listReviewFindings(db, ref, runId),
    history: await readReviewHistory(db, ref),
    deliveries: await listPullRequestDeliveries(db, ref, maxListedDeliveries),
  }
}

/** The review of a run is known by its newest event. `row` has the pull request. */
function newestEventOf(runId: string, row: string): RawBuilder<number | null> {
  const [repo, number] = [sql.ref(`${row}.repo`), sql.ref(`${row}.pr_number`)]
  return sql`(select max(newest.id) from events newest
    where newest.repo = ${repo} and newest.pr_number = ${number}
      and newest.run_id = ${sql.ref(runId)})`
}

/** Whether the last answer that took a position in the thread of the finding conceded. */
const isDismissalProposed = sql<boolean>`coalesce((
  select position = 'concedes' from answers a
  where a.repo = f.repo and a.pr_number = f.pr_number and a.fingerprint = f.fingerprint
    and a.reopened = f.reopened and a.position in ('concedes', 'stands')
  order by a.id desc limit 1), false)`

/** Lists the findings that this run or an earlier one reported. */
async function listReviewFindings(db: Db, ref: { repo: string; number: number }, runId: number) {
  const rows = await selectFindings(db)
    .select([
      isDismissalProposed.as('proposedDismissal'),
      newestEventOf('f.first_run_id', 'f').as('firstReviewId'),
    ])
    .where('f.repo', '=', ref.repo)
    .where('f.prNumber', '=', ref.number)
    .where('firstRunId', '<=', runId)
    .orderBy(sql`array_position(array['open', 'dismissed', 'resolved'], state)`)
    .orderBy(sql`array_position(array['critical', 'moderate', 'minor'], severity)`)
    .orderBy(sql`path collate "C"`)
    .orderBy('startLine')
    .orderBy('f.id')
    .limit(maxListedFindings)
    .execute()
  return rows.map(({ proposedDismissal, firstReviewId, ...row }) => ({
    ...readFinding(row),
    proposedDismissal,
    firstReviewId,
  }))
}
