// Writes the first sentences of a review, from its findings and the summaries of its reviewers.
import type { Finding } from '../../domain/finding.ts'
import { type Coverage, draftClause, type Review } from '../../domain/review.ts'
import { redactKnownSecrets } from '../../lib/redact-known-secrets.ts'
import { formatCount } from '../../lib/text.ts'
import type { ReviewerReport } from '../../reviewers/reviewer.ts'
import { codeSpan, escapeLine } from './escape-markdown.ts'
import { formatLocation, removedRemark } from './finding-location.ts'

/** Whether the review left out nothing that has to be mentioned. */
export function hasNoGaps(coverage: Coverage): boolean {
  const isRead = coverage.filesReviewed > 0 || coverage.filesTotal === 0
  return coverage.complete && isRead && coverage.notes.length === 0
}

/**
 * Returns Markdown: `words` has the summaries of the reviewers, and `summary` begins with the
 * riskiest point.
 *
 * @param secrets our own, which are redacted
 */
export function summarizeReview(
  findings: readonly Finding[],
  reports: readonly Pick<ReviewerReport, 'summary'>[],
  coverage: Coverage,
  secrets: readonly string[],
): Pick<Review, 'summary' | 'words'> {
  const riskiest = findings[0]
  const opening = riskiest ? describeRiskiest(riskiest, secrets) : describeNoFindings(coverage)
  const words = reports
    .map((report) => redactKnownSecrets(report.summary, secrets).trim())
    .filter((summary) => summary !== '')
  return { summary: [opening, ...words].join('\n\n'), words: words.join('\n\n') }
}

function describeNoFindings(coverage: Coverage): string {
  // Others may be dismissed.
  if (hasNoGaps(coverage)) return toSentence(describeClean(coverage, { more: true }))
  return 'No findings to show. The coverage says what is missing from this review.'
}

function toSentence(clause: string): string {
  return `${clause[0]!.toUpperCase()}${clause.slice(1)}.`
}

/**
 * Returns text such as `14 of 15 files, 120 of 160 changed lines reviewed (100 by a model, 20 by
 * rules of their language)`. Without a model it says `checked by rules`, because rules only look
 * for known classes of bugs.
 */
export function describeLines({ filesTotal, filesReviewed, lines }: Coverage): string {
  const { changed, unread } = lines
  const files = `${filesReviewed} of ${formatCount(filesTotal, 'file')}`
  if (changed === 0) return `${files} reviewed`
  const lineCount = formatCount(changed, 'changed line')
  return `${files}, ${changed - unread} of ${lineCount} ${describeReaders(lines)}`
}

function describeReaders({ model, rules, text }: Coverage['lines']): string {
  const readers = [
    ...(model > 0 ? [`${model} by a model`] : []),
    ...(rules > 0 ? [`${rules} by rules of their language`] : []),
    ...(text > 0 ? [`${text} searched as text`] : []),
  ]
  if (model === 0 && readers.length === 1)
    return rules > 0 ? 'checked by rules' : 'searched as text'
  const verb = model === 0 && rules > 0 ? 'checked by rules' : 'reviewed'
  return readers.length === 0 ? verb : `${verb} (${readers.join(', ')})`
}

/** Returns text such as `120 changed lines and 1 file`, or an empty string if all was read. */
function describeUnread({ lines, skipped }: Coverage): string {
  const files = skipped.filter(({ matters, lines: count }) => matters && !count).length
  const unread = [
    ...(lines.unread > 0 ? [formatCount(lines.unread, 'changed line')] : []),
    ...(files > 0 ? [formatCount(files, 'file')] : []),
  ]
  return unread.join(' and ')
}

/** Writes a clause such as `120 changed lines were not read`. */
export function describeMissing(coverage: Coverage): string {
  const unread = describeUnread(coverage)
  if (coverage.isDraft) return draftClause
  if (unread === '') return 'the review did not finish'
  const isSingular = /^1 \S+( line)?$/.test(unread)
  return `${unread} ${isSingular ? 'was' : 'were'} not read`
}

/**
 * Writes a clause about a change without findings, such as `nothing found in 14 files`.
 *
 * @param options.more whether there may be dismissed findings
 */
export function describeClean(
  { filesTotal, filesReviewed }: Coverage,
  { more = false }: { more?: boolean } = {},
): string {
  if (filesTotal === 0) return 'no file of the change is to be reviewed'
  return `${more ? 'no open findings' : 'nothing found'} in ${formatCount(filesReviewed, 'file')}`
}

function describeRiskiest(finding: Finding, secrets: readonly string[]): string {
  const { title, removed } = finding
  const claim = escapeLine(redactKnownSecrets(title, secrets), { maxLength: 300 })
  const location = codeSpan(redactKnownSecrets(formatLocation(finding), secrets))
  if (removed) return `The riskiest point was in ${location}: ${claim} (${removedRemark}).`
  const period = /[.…?!]$/.test(claim) ? '' : '.'
  return `The riskiest point is in ${location}: ${claim}${period}`
}
