// Records the result of a review in one transaction, which fails if the lease was lost.
import { sql } from 'kysely'
import { recordSpend } from '../analytics/model-spend.ts'
import type { Db } from '../db/database.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { Finding, Severity } from '../domain/finding.ts'
import type { ReviewEnd } from '../domain/review.ts'
import type { Notifications } from '../jobs/queue.ts'
import { type ClaimedRun, endRun, lockRun, type RunOutcome } from '../jobs/runs.ts'
import {
  type PullRequestActivity,
  saveFileActivity,
} from '../knowledge/file-activity/save-file-activity.ts'
import type { LabelValue, Metrics } from '../metrics/metrics.ts'
import type { ModelUse } from '../models/index.ts'

/**
 * Saves findings before they are posted or their threads resolved. If the run is interrupted, the
 * next attempt finds what may be on the pull request already.
 */
export async function recordFindings(
  db: Db,
  run: ClaimedRun,
  findings: readonly Finding[],
): Promise<void> {
  await transactionWithRetry(db, async (tx) => {
    await lockRun(tx, run)
    await saveFindings(tx, run, { findings, commentUrls: new Map() })
  })
}

/**
 * Completes the run. If it has a verdict, also updates the pull request. Notifies a worker if
 * events arrived in the meantime.
 */
export async function recordReview(
  ctx: { db: Db; notifications: Notifications; metrics: Metrics },
  run: ClaimedRun,
  input: {
    /** The first end of the review, for the metric. */
    end: ReviewEnd
    outcome: RunOutcome
    findings: readonly Finding[]
    commentUrls: ReadonlyMap<string, string | null>
    /** The files and symbols of the pull request; null if they must not be saved. */
    touches: PullRequestActivity | null
    /** Saved in the same transaction, so that the next review finds it in the daily budget. */
    spend: readonly ModelUse[]
  },
): Promise<void> {
  const seconds = await transactionWithRetry(ctx.db, async (tx) => {
    const { moreWaiting, seconds } = await endRun(tx, run, 'completed', input.outcome)
    await recordSpend(tx, run, input.spend)
    await saveFindings(tx, run, input)
    await saveVerdict(tx, run, input)
    const { verdict } = input.outcome
    if (verdict) await saveDismissals(tx, run, input.findings)
    if (input.touches && verdict) await saveFileActivity(tx, { ...run, verdict }, input.touches)
    if (moreWaiting) await ctx.notifications.reviews.notify(tx, [run])
    return seconds
  })
  countReview(ctx.metrics, input.end, seconds)
}

/** Adds a completed review of the given duration to the metrics. */
export function countReview(
  metrics: Metrics,
  end: LabelValue<'reviews', 'end'>,
  seconds: number,
): void {
  metrics.reviews.inc({ end })
  metrics.reviewDuration.observe({}, seconds)
}

/** Updates the verdict that lists and insights show. Without a verdict the earlier one stays. */
async function saveVerdict(
  tx: Db,
  run: ClaimedRun,
  { outcome, findings }: { outcome: RunOutcome; findings: readonly Finding[] },
): Promise<void> {
  const { verdict, confidence } = outcome
  if (!verdict) return
  const open = findings.filter(({ state }) => state === 'open')
  const count = (severity: Severity) =>
    open.filter((finding) => finding.severity === severity).length
  await tx
    .updateTable('pull_requests')
    .set({
      reviewed_run_id: run.id,
      verdict,
      confidence: confidence ?? null,
      critical_count: count('critical'),
      moderate_count: count('moderate'),
      minor_count: count('minor'),
    })
    .where('repo', '=', run.repo)
    .where('number', '=', run.number)
    .execute()
}

/** Replaces dismissals by threads. Those from the page stay until the finding is reopened. */
async function saveDismissals(
  tx: Db,
  run: ClaimedRun,
  findings: readonly Finding[],
): Promise<void> {
  const rows = findings.flatMap(({ fingerprint, reopened, state, dismissal }) =>
    state === 'dismissed' && dismissal?.via === 'thread'
      ? [{ repo: run.repo, pr_number: run.number, fingerprint, reopened, ...dismissal }]
      : [],
  )
  await tx
    .deleteFrom('dismissals')
    .where('repo', '=', run.repo)
    .where('pr_number', '=', run.number)
    .where('via', '=', 'thread')
    .$if(rows.length > 0, (query) =>
      query.where(
        'fingerprint',
        'not in',
        rows.map(({ fingerprint }) => fingerprint),
      ),
    )
    .execute()
  if (rows.length === 0) return
  await tx
    .insertInto('dismissals')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['repo', 'pr_number', 'fingerprint', 'reopened'])
        .doUpdateSet((eb) => ({ login: eb.ref('excluded.login') }))
        .where('dismissals.via', '=', 'thread'),
    )
    .execute()
}

/** PostgreSQL accepts at most 65,535 parameters in a statement. */
const maxRowsPerInsert = 500

async function saveFindings(
  tx: Db,
  run: ClaimedRun,
  input: { findings: readonly Finding[]; commentUrls: ReadonlyMap<string, string | null> },
): Promise<void> {
  const rows = input.findings.map((finding) =>
    findingRow(run, finding, input.commentUrls.get(finding.fingerprint) ?? null),
  )
  for (let start = 0; start < rows.length; start += maxRowsPerInsert) {
    await upsertFindings(tx, rows.slice(start, start + maxRowsPerInsert))
  }
}

async function upsertFindings(tx: Db, rows: ReturnType<typeof findingRow>[]): Promise<void> {
  await tx
    .insertInto('findings')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['repo', 'pr_number', 'fingerprint']).doUpdateSet((eb) => ({
        last_run_id: eb.ref('excluded.last_run_id'),
        path: eb.ref('excluded.path'),
        start_line: eb.ref('excluded.start_line'),
        end_line: eb.ref('excluded.end_line'),
        quote: eb.ref('excluded.quote'),
        anchor_hash: eb.ref('excluded.anchor_hash'),
        severity: eb.ref('excluded.severity'),
        title: eb.ref('excluded.title'),
        body: eb.ref('excluded.body'),
        suggestion: eb.ref('excluded.suggestion'),
        evidence: eb.ref('excluded.evidence'),
        rests_on: eb.ref('excluded.rests_on'),
        verified: eb.ref('excluded.verified'),
        confidence: eb.ref('excluded.confidence'),
        state: eb.ref('excluded.state'),
        removed: eb.ref('excluded.removed'),
        reopened: eb.ref('excluded.reopened'),
        placement: eb.ref('excluded.placement'),
        comment_url: sql`coalesce(excluded.comment_url, findings.comment_url)`,
        resolved_at: sql`
          case when excluded.state = 'resolved' then coalesce(findings.resolved_at, now()) end`,
      })),
    )
    .execute()
}

function findingRow(run: ClaimedRun, finding: Finding, commentUrl: string | null) {
  return {
    repo: run.repo,
    pr_number: run.number,
    fingerprint: finding.fingerprint,
    first_run_id: run.id,
    last_run_id: run.id,
    reviewer: finding.reviewer,
    rule: finding.rule,
    path: finding.path,
    side: finding.side,
    start_line: finding.startLine,
    end_line: finding.endLine,
    quote: finding.quote,
    anchor_hash: finding.anchorHash,
    severity: finding.severity,
    category: finding.category,
    title: finding.title,
    body: finding.body,
    suggestion: finding.suggestion,
    evidence: JSON.stringify(finding.evidence),
    rests_on: finding.citation ? JSON.stringify(finding.citation) : null,
    confidence: finding.confidence,
    verified: finding.verified,
    state: finding.state,
    removed: finding.removed ?? false,
    reopened: finding.reopened,
    placement: finding.placement,
    comment_url: commentUrl,
    resolved_at: finding.state === 'resolved' ? new Date() : null,
  }
}
