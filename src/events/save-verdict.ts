// Stores the verdict that lists and insights show for a pull request.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Finding, Severity } from '../domain/finding.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import type { Confidence, Verdict } from '../domain/review.ts'
import { countOutcomes } from './finding-outcomes.ts'

/**
 * Stores the verdict of a run, and counts its open findings by severity. Call it in the transaction
 * that ended the run, after findings and dismissals were saved.
 */
export async function saveVerdict(
  tx: Db,
  run: PullRequestRef & { readonly id: number },
  review: { verdict: Verdict; confidence: Confidence; findings: readonly Finding[] },
): Promise<void> {
  const { verdict, confidence, findings } = review
  const count = (severity: Severity) =>
    findings.filter((finding) => finding.state === 'open' && finding.severity === severity).length
  await tx
    .updateTable('pullRequests')
    .set({
      reviewedRunId: run.id,
      verdict,
      confidence,
      criticalCount: count('critical'),
      moderateCount: count('moderate'),
      minorCount: count('minor'),
      firstReviewedAt: sql`coalesce(first_reviewed_at, now())`,
      firstRequestedAt: sql`case when first_reviewed_at is null then ${firstRequest(run)}
        else first_requested_at end`,
    })
    .where('repo', '=', run.repo)
    .where('number', '=', run.number)
    .execute()
  await countOutcomes(tx, run)
}

/** Deliveries that ended in a skipped review, such as those of drafts, requested no other one. */
function firstRequest({ repo, number }: PullRequestRef) {
  return sql`(
    select min(e.created_at) from events e left join workflow_runs r on r.id = e.run_id
    where e.repo = ${repo} and e.pr_number = ${number} and e.wants_review
      and (r.verdict is not null or r.status is distinct from 'completed'))`
}
