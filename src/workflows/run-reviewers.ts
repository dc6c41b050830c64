// Runs the reviewers side by side.

import { toStorableText } from '../contract/storable-text.ts'
import { ModelError } from '../domain/errors.ts'
import { mapCitationText } from '../domain/finding.ts'
import type { Change, PackedContext, Reviewer, ReviewerReport } from '../reviewers/reviewer.ts'

/** A report with the name of who made it. */
type NamedReport = ReviewerReport & { readonly reviewer: string }

/** What all reviewers came to; `failures` are of those that did nothing. */
export interface ReviewersOutcome {
  readonly reports: readonly NamedReport[]
  readonly failures: readonly ModelError[]
}

/**
 * Runs the reviewers side by side. One that could do nothing is told in the coverage; a fault that goes away by
 * itself is thrown, so that the run is tried again rather than posted in part: but not on the last try.
 */
export async function runReviewers(
  reviewers: readonly Reviewer[],
  { change, context, isLastTry }: { change: Change; context: PackedContext; isLastTry: boolean },
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
    else if (result.reason instanceof ModelError && (isLastTry || !result.reason.retryable))
      failures.push(result.reason)
    else throw result.reason
  }
  return { reports, failures }
}

/** What reviewers say can hold anything that a file or a model can: from here on databases take it. */
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
