// Runs all reviewers of a change in parallel.
import { toStorableText } from '../contract/storable-text.ts'
import type { Change } from '../domain/change.ts'
import { ModelError } from '../domain/errors.ts'
import { mapCitationText } from '../domain/finding.ts'
import type { PackedContext } from '../reviewers/packed-context.ts'
import type { Reviewer, ReviewerReport } from '../reviewers/reviewer.ts'

type NamedReport = ReviewerReport & { readonly reviewer: string }

export interface ReviewersOutcome {
  readonly reports: readonly NamedReport[]
  /** Errors of reviewers that returned no report. */
  readonly failures: readonly ModelError[]
}

/**
 * A reviewer that failed is listed in `failures`. A retryable error is thrown instead, so that the
 * run is attempted again, except on the last attempt.
 */
export async function runReviewers(
  reviewers: readonly Reviewer[],
  {
    change,
    context,
    isLastAttempt,
  }: { change: Change; context: PackedContext; isLastAttempt: boolean },
  signal: AbortSignal,
): Promise<ReviewersOutcome> {
  const settled = await Promise.allSettled(
    reviewers.map(async (reviewer) => ({
      ...makeStorable(await reviewer.review(change, context, signal)),
      reviewer: reviewer.name,
    })),
  )
  signal.throwIfAborted()
  const failures: ModelError[] = []
  const reports: NamedReport[] = []
  for (const result of settled) {
    if (result.status === 'fulfilled') reports.push(result.value)
    else if (result.reason instanceof ModelError && (isLastAttempt || !result.reason.retryable))
      failures.push(result.reason)
    else throw result.reason
  }
  return { reports, failures }
}

/** Removes characters from the report, such as NUL, that PostgreSQL doesn't accept. */
function makeStorable(report: ReviewerReport): ReviewerReport {
  return {
    ...report,
    summary: toStorableText(report.summary),
    notes: report.notes.map(toStorableText),
    findings: report.findings.map((finding) => ({
      ...finding,
      quote: toStorableText(finding.quote),
      title: toStorableText(finding.title),
      body: toStorableText(finding.body),
      suggestion: finding.suggestion === null ? null : toStorableText(finding.suggestion),
      evidence: finding.evidence.map((item) => ({
        ...item,
        path: toStorableText(item.path),
        note: toStorableText(item.note),
      })),
      ...(finding.citation && { citation: mapCitationText(finding.citation, toStorableText) }),
    })),
  }
}
