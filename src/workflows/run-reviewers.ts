// Runs the reviewers side by side and measures what they covered.
import { ModelError } from '../domain/errors.ts'
import { changeWords } from '../domain/finding.ts'
import type { Coverage } from '../domain/review.ts'
import { toStorable } from '../lib/text.ts'
import type { Change, PackedContext, Reviewer, ReviewerReport } from '../reviewers/reviewer.ts'
import { describeShallow } from './describe-shallow.ts'
import { isUnwanted } from './gathering/sort-files.ts'
import type { Judgement } from './judge-findings.ts'

/** A report with the name of who made it. */
type NamedReport = ReviewerReport & { readonly reviewer: string }

/** What all reviewers came to; `failures` says in words why some did nothing. */
export interface ReviewersOutcome {
  readonly reports: readonly NamedReport[]
  readonly failures: readonly string[]
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
  const failures: string[] = []
  const reports: NamedReport[] = []
  for (const result of settled) {
    if (result.status === 'fulfilled') reports.push(result.value)
    else if (result.reason instanceof ModelError && (isLastTry || !result.reason.retryable))
      failures.push(result.reason.message)
    else throw result.reason
  }
  return { reports, failures }
}

/** What reviewers say can hold anything that a file or a model can: from here on databases take it. */
function makeStorable(report: ReviewerReport): ReviewerReport {
  return {
    ...report,
    summary: toStorable(report.summary),
    notes: report.notes.map(toStorable),
    findings: report.findings.map((finding) => ({
      ...finding,
      quote: toStorable(finding.quote),
      title: toStorable(finding.title),
      body: toStorable(finding.body),
      suggestion: finding.suggestion === null ? null : toStorable(finding.suggestion),
      evidence: finding.evidence.map((item) => ({ ...item, path: toStorable(item.path), note: toStorable(item.note) })),
      ...(finding.restsOn && { restsOn: changeWords(finding.restsOn, toStorable) }),
    })),
  }
}

/** The files of the change that the repository wants reviewed, those among them of which there isn't even a diff. */
function countWanted({ diff, skipped }: Change): number {
  const inDiff = new Set(diff.files.map(({ path }) => path))
  const without = skipped.filter(({ path }) => !inDiff.has(path))
  return diff.files.length + without.length - skipped.filter(isUnwanted).length
}

/** How much of the change was seen, and all limits of the review in words. */
export function measureCoverage(
  change: Change,
  context: PackedContext,
  { reports, failures }: ReviewersOutcome,
  judgement: Judgement,
): Coverage {
  const skipped = [...change.skipped, ...context.omitted]
  const dropped = Object.entries(judgement.dropped).filter(
    ([reason]) => reason !== 'said twice' && reason !== 'answered before',
  )
  return {
    filesTotal: countWanted(change),
    filesReviewed: countReviewed(change, context, reports),
    skipped,
    notes: [
      ...change.notes,
      ...change.diff.problems,
      ...change.earlier.notes,
      ...reports.flatMap((report) => report.notes),
      ...describeShallow(reports),
      ...judgement.notes,
      ...failures.map((failure) => `The model took no part: ${failure}`),
      ...dropped.map(([reason, count]) => `${count} proposed finding(s) dropped: ${reason}.`),
    ],
    setAside: judgement.setAside,
    complete:
      failures.length === 0 &&
      reports.every((report) => report.complete) &&
      change.diff.problems.length === 0 &&
      !skipped.some((file) => file.matters),
  }
}

/**
 * The files that a model read wholly, where one took part. Where it read none so (a specialist failed, say), the others
 * and the rules still looked at all that was shown.
 */
function countReviewed({ files }: Change, { omitted }: PackedContext, reports: readonly NamedReport[]): number {
  const left = new Set(omitted.map(({ path }) => path))
  const unread = new Set(reports.flatMap((report) => (report.usage.calls > 0 ? report.unread : [])))
  const shown = files.filter(({ path }) => !left.has(path))
  const read = shown.filter(({ path }) => !unread.has(path))
  return read.length > 0 ? read.length : shown.length
}
