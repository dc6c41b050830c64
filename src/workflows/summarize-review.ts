// The two or three sentences at the head of a review, from its findings and the reviewers' own words. Pure.
import type { Finding } from '../domain/finding.ts'
import type { Coverage } from '../domain/review.ts'
import type { ReviewerReport } from '../reviewers/reviewer.ts'

/** Whether nothing at all is to be said about what this review left out. */
export function isWhole(coverage: Coverage): boolean {
  return coverage.complete && coverage.notes.length === 0
}

/** Markdown, the riskiest point first. What a model said about the change as a whole comes after it. */
export function summarizeReview(
  findings: readonly Finding[],
  reports: readonly Pick<ReviewerReport, 'summary'>[],
  coverage: Coverage,
): string {
  const files = coverage.filesReviewed === 1 ? '1 file' : `${coverage.filesReviewed} files`
  const riskiest = findings[0]
  const opening = riskiest
    ? `${riskiest.title.replace(/\.$/, '')} (\`${riskiest.path.replaceAll('`', "'")}:${riskiest.startLine}\`).`
    : isWhole(coverage)
      ? `Nothing found in ${files}.`
      : 'No findings to show. The coverage says what is missing from this review.'
  const words = reports.map((report) => report.summary.trim()).filter((summary) => summary !== '')
  return [opening, ...words].join('\n\n')
}
