// What the reports say in the same words: verdict, counts, coverage, limits, how it ends.
import { severities } from '../../domain/finding.ts'
import type { Coverage, Review, SkippedFile } from '../../domain/review.ts'
import { reviewEndNames } from '../../workflows/review-end-names.ts'
import { describeLines } from '../../workflows/summarize-review.ts'
import { exitCode } from '../exit-codes.ts'
import type { Report } from './report.ts'

/** How the review ended, for people. */
export function describeEnd({ ends }: Review): string {
  return reviewEndNames[ends[0]!]
}

/** How many findings there are of each severity, as in `1 critical, 2 minor`; empty where there are none. */
export function formatFindingCounts({ findings }: Review): string {
  return severities
    .map((severity) => ({
      severity,
      count: findings.filter((finding) => finding.severity === severity).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => `${count} ${severity}`)
    .join(', ')
}

/** How much was seen, as in `2 of 3 files, 10 of 20 changed lines reviewed: the review is partial`. */
export function describeCoverage(coverage: Coverage): string {
  const title = describeLines(coverage)
  return coverage.complete ? title : `${title}: the review is partial`
}

/** A file that wasn't reviewed, in one sentence. */
export function describeUnreviewed({ path, reason }: SkippedFile): string {
  return `${path} was not reviewed: ${reason}.`
}

/** The files that somebody expected to see reviewed. */
export function listUnreviewed({ skipped }: Coverage): SkippedFile[] {
  return skipped.filter(({ matters }) => matters)
}

/** What to say where there is nothing to review. */
export function describeEmptyReview({ compared }: Pick<Report, 'compared'>): string {
  return compared.emptyReason ?? 'Nothing to review.'
}

/** Why the command doesn't end with 0; null where it does. */
export function describeExitCode({ exitCode: code, failOn }: Report): string | null {
  if (code === exitCode.findings)
    return `exit ${code}: findings ${failOn === 'critical' ? 'that are critical' : `from ${failOn} on`}`
  if (code === exitCode.partial) return `exit ${code}: part of what matters was not reviewed`
  return null
}
