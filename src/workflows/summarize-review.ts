// The two or three sentences at the head of a review, from its findings and the reviewers' own words. Pure.
import type { Finding } from '../domain/finding.ts'
import type { Coverage } from '../domain/review.ts'
import { redactKnownSecrets } from '../lib/redact-known-secrets.ts'
import type { ReviewerReport } from '../reviewers/reviewer.ts'
import { codeSpan, escapeLine } from './posting/escape-markdown.ts'

/** Whether nothing at all is to be said about what this review left out. */
export function hasNoGaps(coverage: Coverage): boolean {
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
    : hasNoGaps(coverage)
      ? describeClean(coverage)
      : 'No findings to show. The coverage says what is missing from this review.'
  const words = reports
    .map((report) => redactKnownSecrets(report.summary, secrets).trim())
    .filter((summary) => summary !== '')
  return [opening, ...words].join('\n\n')
}

/** How much was read, such as `14 of 15 files, 120 of 160 changed lines (100 by a model, 20 by rules of their language)`. */
export function describeLines({ filesTotal, filesReviewed, lines }: Coverage): string {
  const { changed, unread } = lines
  const files = `${filesReviewed} of ${filesTotal} ${filesTotal === 1 ? 'file' : 'files'}`
  if (changed === 0) return `${files} reviewed`
  const readers = [
    ...(lines.model > 0 ? [`${lines.model} by a model`] : []),
    ...(lines.rules > 0 ? [`${lines.rules} by rules of their language`] : []),
    ...(lines.text > 0 ? [`${lines.text} searched as text`] : []),
  ]
  const how = readers.length === 0 ? '' : ` (${readers.join(', ')})`
  return `${files}, ${changed - unread} of ${changed} changed ${changed === 1 ? 'line' : 'lines'} reviewed${how}`
}

/** What was not read, such as `120 changed lines and 1 file`; empty where all was. */
function describeUnread({ lines, skipped }: Coverage): string {
  const files = skipped.filter(({ matters, lines: count }) => matters && !count).length
  const unread = [
    ...(lines.unread > 0
      ? [lines.unread === 1 ? '1 changed line' : `${lines.unread} changed lines`]
      : []),
    ...(files > 0 ? [files === 1 ? '1 file' : `${files} files`] : []),
  ]
  return unread.join(' and ')
}

/** Likewise as a sentence: `120 changed lines were not read`. */
export function describeMissing(coverage: Coverage): string {
  const unread = describeUnread(coverage)
  if (unread === '') return 'the review did not come to its end'
  return `${unread} ${/^1 \S+( line)?$/.test(unread) ? 'was' : 'were'} not read`
}

/**
 * One sentence about a change without findings.
 *
 * @param options.more there were some, which were answered; `at` stands behind the files
 */
export function describeClean(
  coverage: Coverage,
  options: { more?: boolean; at?: string } = {},
): string {
  const { filesTotal, filesReviewed } = coverage
  if (filesTotal === 0) return 'No file of the change is to be reviewed.'
  const files = filesReviewed === 1 ? '1 file' : `${filesReviewed} files`
  return `Nothing ${options.more ? 'more ' : ''}found in ${files}${options.at ?? ''}.`
}

function describeRiskiest({ title, path, startLine }: Finding, secrets: readonly string[]): string {
  const claim = escapeLine(redactKnownSecrets(title, secrets), { maxLength: 300 })
  return `The riskiest point is in ${codeSpan(redactKnownSecrets(`${path}:${startLine}`, secrets))}: ${claim}${/[.…?!]$/.test(claim) ? '' : '.'}`
}
