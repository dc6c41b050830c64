// Records the result of a review in one transaction, which fails if the lease was lost.
import { recordSpend } from '../analytics/model-spend.ts'
import type { Db } from '../db/database.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { Finding } from '../domain/finding.ts'
import type { ReviewEnd } from '../domain/review.ts'
import { replaceThreadDismissals } from '../events/dismissals.ts'
import { requestNotifications } from '../events/notifications.ts'
import { saveFindingCounts } from '../events/review-history.ts'
import { saveVerdict } from '../events/save-verdict.ts'
import { saveFindings } from '../events/stored-findings.ts'
import {
  type PullRequestActivity,
  saveFileActivity,
} from '../knowledge/file-activity/save-file-activity.ts'
import type { LabelValue, Metrics } from '../metrics/metrics.ts'
import type { Budget } from '../models/index.ts'
import type { PublishedReview } from '../platforms/platform.ts'
import type { ReviewOutcome, SkippedOutcome } from '../work/run-outcome.ts'
import { type ClaimedRun, endRun, lockRun, markPosting } from '../work/runs.ts'
import { findingMarker } from './posting/markers.ts'

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
    await saveFindings(tx, run, findings)
    await markPosting(tx, run)
  })
}

/**
 * Completes the run. If it has a verdict, also updates the pull request.
 */
export async function recordReview(
  ctx: { db: Db; metrics: Metrics },
  run: ClaimedRun,
  input: {
    /** The first end of the review, for the metric. */
    end: ReviewEnd
    outcome: ReviewOutcome | SkippedOutcome
    findings: readonly Finding[]
    commentUrls: ReadonlyMap<string, string | null>
    /** The files and symbols of the pull request; null if they must not be saved. */
    touches: PullRequestActivity | null
    /** Null if no model could be called. */
    spend: Budget | null
  },
): Promise<void> {
  const seconds = await transactionWithRetry(ctx.db, async (tx) => {
    const { outcome, findings, commentUrls, touches, spend } = input
    const seconds = await endRun(tx, run, outcome)
    if (spend) await recordSpend(tx, run, spend)
    await saveFindings(tx, run, findings, commentUrls)
    // Without a verdict the earlier one stays.
    if (outcome.kind === 'reviewed') {
      const { verdict, confidence } = outcome
      await saveFindingCounts(tx, run)
      await replaceThreadDismissals(tx, run, findings)
      await requestNotifications(tx, run)
      await saveVerdict(tx, run, { verdict, confidence, findings })
      if (touches) await saveFileActivity(tx, { ...run, verdict }, touches)
    }
    return seconds
  })
  countReview(ctx.metrics, input.end, seconds)
}

/** Maps the fingerprints of posted findings to the URLs of their comments. */
export function mapCommentUrls(
  findings: readonly Finding[],
  published: PublishedReview | null,
): Map<string, string | null> {
  const urls = new Map(published?.comments.map(({ marker, url }) => [marker, url]))
  return new Map(
    findings.map((finding) => [finding.fingerprint, urls.get(findingMarker(finding)) ?? null]),
  )
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
