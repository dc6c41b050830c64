// Stores the verdict that lists and insights show for a pull request.
import type { Db } from '../db/database.ts'
import type { Finding, Severity } from '../domain/finding.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import type { Confidence, Verdict } from '../domain/review.ts'

/** Stores the verdict of a run, and counts its open findings by severity. */
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
    })
    .where('repo', '=', run.repo)
    .where('number', '=', run.number)
    .execute()
}
