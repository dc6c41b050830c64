// Describes the parts of a review that several report formats share.
import type { Coverage, Review, SkippedFile } from '../../domain/review.ts'
import { describeLines } from '../../workflows/posting/summarize-review.ts'
import { reviewEndNames } from '../../workflows/review-end-names.ts'
import { exitCode } from '../exit-codes.ts'
import type { Report } from './report.ts'

export function describeEnd({ ends }: Review): string {
  return reviewEndNames[ends[0]!]
}

/** An example is `2 of 3 files, 10 of 20 changed lines checked by rules: the review is partial`. */
export function describeCoverage(coverage: Coverage): string {
  const title = describeLines(coverage)
  return coverage.complete ? title : `${title}: the review is partial`
}

export function describeUnreviewed({ path, reason }: SkippedFile): string {
  return `${path} was not reviewed: ${reason}.`
}

/** Lists the files that make the review incomplete. */
export function listUnreviewed({ skipped }: Coverage): SkippedFile[] {
  return skipped.filter(({ matters }) => matters)
}

export function describeEmptyReview({ compared }: Pick<Report, 'compared'>): string {
  return compared.emptyReason ?? 'Nothing to review.'
}

/** Explains an exit code other than 0. Returns null for 0. */
export function describeExitCode({ exitCode: code, failOn }: Report): string | null {
  if (code === exitCode.findings) {
    const threshold = failOn === 'critical' ? 'critical' : `${failOn} or higher`
    return `exit ${code}: there are findings of severity ${threshold}`
  }
  if (code === exitCode.partial) return `exit ${code}: part of what matters was not reviewed`
  return null
}
