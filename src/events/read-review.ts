// Reads one review with its run, its findings and the deliveries for its pull request.
import { sql } from 'kysely'
import { isInScope, type Scope } from '../accounts/scope.ts'
import type { Db } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import type { Dismissal, Evidence } from '../domain/finding.ts'
import type { Impact } from '../domain/impact.ts'
import type { LiveContextSummary } from '../domain/live-context.ts'
import type { Coverage, ReviewWarning, Usage, Verdict } from '../domain/review.ts'
import { type DeliveryEntry, listPullRequestDeliveries } from './list-deliveries.ts'
import { type ListedReview, reviewFields } from './list-reviews.ts'
import { selectFindings } from './select-findings.ts'

/** An entry of the list with the details of its run; they are null while there is no run. */
export interface ReviewDetail extends ListedReview {
  /** Why it failed, or what it waits for; null when it is completed. */
  readonly error: string | null
  readonly error_code: string | null
  readonly attempts: number
  readonly retry_at: Date | null
  readonly verdict: Verdict | null
  readonly confidence: number | null
  readonly head_sha: string | null
  readonly published_url: string | null
  readonly coverage: Coverage | null
  readonly warnings: readonly ReviewWarning[] | null
  readonly usage: Usage | null
  readonly sources: LiveContextSummary | null
  readonly reach: Impact | null
  readonly decision: Record<string, unknown> | null
  readonly timings: Record<string, number> | null
  readonly findings: readonly ReviewFinding[]
  readonly deliveries: readonly DeliveryEntry[]
}

type ReviewFinding = Pick<
  Schema['findings'],
  | 'fingerprint'
  | 'severity'
  | 'category'
  | 'title'
  | 'body'
  | 'path'
  | 'side'
  | 'start_line'
  | 'end_line'
  | 'suggestion'
  | 'confidence'
  | 'verified'
  | 'reviewer'
  | 'rule'
  | 'state'
  | 'placement'
  | 'comment_url'
> & {
  readonly evidence: Evidence[]
  readonly removed: boolean
  readonly dismissal: Dismissal | null
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
    Omit<ReviewDetail, 'findings' | 'deliveries'> & { run_id: number | null }
  >`
    select ${reviewFields}, r.id as run_id, r.error, r.error_code,
      coalesce(r.attempts, 0) as attempts, r.retry_at, r.verdict, r.confidence, r.head_sha,
      r.published_url, r.coverage, r.usage, r.sources, r.reach, r.decision, r.timings, r.warnings
    from events e
    join pull_requests p on p.repo = e.repo and p.number = e.pr_number
    left join workflow_runs r on r.id = e.run_id and r.status = e.status
    where e.id = ${id} and ${isInScope(scope, 'e.repo')}`.execute(db)
  const [row] = rows
  if (row === undefined) return undefined
  const { run_id: runId, ...review } = row
  const ref = { repo: review.repo_name, number: review.pr_number }
  return {
    ...review,
    findings: runId === null ? [] : await listReviewFindings(db, ref, runId),
    deliveries: await listPullRequestDeliveries(db, ref, maxListedDeliveries),
  }
}

/** Lists the findings that this run or an earlier one reported. */
async function listReviewFindings(
  db: Db,
  ref: { repo: string; number: number },
  runId: number,
): Promise<ReviewFinding[]> {
  const rows = await selectFindings(db)
    .select(['f.fingerprint', 'f.removed', 'd.login', 'd.via', 'd.reason'])
    .select([
      'severity',
      'category',
      'title',
      'body',
      'path',
      'side',
      'start_line',
      'end_line',
      'suggestion',
    ])
    .select([
      'evidence',
      'confidence',
      'verified',
      'reviewer',
      'rule',
      'state',
      'placement',
      'comment_url',
    ])
    .where('f.repo', '=', ref.repo)
    .where('f.pr_number', '=', ref.number)
    .where('first_run_id', '<=', runId)
    .orderBy(sql`array_position(array['open', 'dismissed', 'resolved'], state)`)
    .orderBy(sql`array_position(array['critical', 'moderate', 'minor'], severity)`)
    .orderBy(sql`path collate "C"`)
    .orderBy('start_line')
    .orderBy('f.id')
    .limit(maxListedFindings)
    .execute()
  return rows.map(({ login, via, reason, ...finding }) => ({
    ...finding,
    dismissal: login === null ? null : { login, via: via ?? 'api', reason: reason ?? '' },
  }))
}
