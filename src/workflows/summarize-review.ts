// The two or three sentences at the head of a review, from its findings and the reviewers' own words. Pure.
import type { Finding } from '../domain/finding.ts'
import type { Coverage } from '../domain/review.ts'
import { blotSecrets } from '../lib/blot-secrets.ts'
import type { ReviewerReport } from '../reviewers/reviewer.ts'
import { codeSpan, neutralizeLine } from './posting/neutralize.ts'

/** Whether nothing at all is to be said about what this review left out. */
export function isWhole(coverage: Coverage): boolean {
  const isSeen = coverage.filesReviewed > 0 || coverage.filesTotal === 0
  return coverage.complete && isSeen && coverage.notes.length === 0
}

/**
 * Markdown, the riskiest point first. What a model said about the change as a whole comes after it.
 *
 * @param secrets our own, which nobody is to read here
 */
export function summarizeReview(
  findings: readonly Finding[],
  reports: readonly Pick<ReviewerReport, 'summary'>[],
  coverage: Coverage,
  secrets: readonly string[],
): string {
  const riskiest = findings[0]
  const opening = riskiest
    ? describeRiskiest(riskiest, secrets)
    : isWhole(coverage)
      ? describeClean(coverage)
      : 'No findings to show. The coverage says what is missing from this review.'
  const words = reports.map((report) => blotSecrets(report.summary, secrets).trim()).filter((summary) => summary !== '')
  return [opening, ...words].join('\n\n')
}

/**
 * One sentence about a change without findings.
 *
 * @param options.more there were some, which were answered; `at` stands behind the files
 */
export function describeClean(coverage: Coverage, options: { more?: boolean; at?: string } = {}): string {
  const { filesTotal, filesReviewed } = coverage
  if (filesTotal === 0) return 'No file of the change is to be reviewed.'
  const files = filesReviewed === 1 ? '1 file' : `${filesReviewed} files`
  return `Nothing ${options.more ? 'more ' : ''}found in ${files}${options.at ?? ''}.`
}

function describeRiskiest({ title, path, startLine }: Finding, secrets: readonly string[]): string {
  const claim = neutralizeLine(blotSecrets(title, secrets), { maxLength: 300 })
  return `The riskiest point is in ${codeSpan(blotSecrets(`${path}:${startLine}`, secrets))}: ${claim}${/[.…?!]$/.test(claim) ? '' : '.'}`
}
