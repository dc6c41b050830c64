// How a review reads on the pull request: the summary and the inline comments. Pure; all foreign text is neutralised.
import type { Finding, Severity } from '../domain/finding.ts'
import type { Review, SkippedFile } from '../domain/review.ts'
import type { InlineComment, PlatformLimits } from '../platforms/platform.ts'
import { blotSecrets } from './blot-secrets.ts'
import { codeFence, codeSpan, isHarmlessCode, neutralizeLine, neutralizeMarkdown } from './neutralize.ts'
import { isWhole } from './summarize-review.ts'

/** By this text our own summary is found again, whatever its version, head and run. */
export const summaryMarker = '<!-- umpire:review '

const icons: Readonly<Record<Severity, string>> = { critical: '🔴', moderate: '🟡', minor: '🔵' }
const severityNames: Readonly<Record<Severity, string>> = { critical: 'Critical', moderate: 'Moderate', minor: 'Minor' }

/** What the summary says beside the review itself. */
export interface SummaryInput {
  readonly review: Review
  readonly runId: number
  /** Earlier findings whose cause is gone. */
  readonly resolved: readonly Finding[]
  readonly durationMs: number
  readonly serviceName: string
  readonly limits: PlatformLimits
  /** Our own, which nobody is to read in a comment. */
  readonly secrets: readonly string[]
}

/** The hidden text that a finding's inline comment carries; another one when it came back, as its thread is resolved. */
export function findingMarker({ fingerprint, reopened }: Finding): string {
  return `<!-- umpire:finding ${fingerprint}${reopened > 0 ? ` reopened=${reopened}` : ''} -->`
}

/** The one comment that is edited in place. */
export function renderSummary(input: SummaryInput): string {
  const review = blotReview(input.review, input.secrets)
  const resolved = input.resolved.map((finding) => blotFinding(finding, input.secrets))
  const marker = `${summaryMarker}v=1 head=${review.headSha} run=${input.runId} -->`
  const reviewers = review.reviewers.map((name) => codeSpan(name)).join(', ')
  const footer = `<sub>${neutralizeLine(input.serviceName, { maxLength: 40 })} reviewed ${review.headSha.slice(0, 7)} in ${formatDuration(input.durationMs)} with ${reviewers}</sub>`
  const open = review.findings
  const isClean = open.length === 0 && isWhole(review.coverage) && review.verdict === 'APPROVE'
  const heading = [
    marker,
    `### ${renderHeadline(review)}`,
    `Confidence: ${review.confidence}/5: ${review.confidenceReason}`,
  ]
  return fitComment(
    {
      heading: heading.join('\n\n'),
      words: isClean ? renderCleanLine(review) : neutralizeMarkdown(review.summary, { maxLength: 4000 }),
      rows: renderRows(open.filter((finding) => finding.placement !== 'held_back')),
      unplaced: renderUnplaced(open.filter((finding) => finding.placement === 'summary')),
      states: renderStates(open, resolved),
      coverage: renderCoverage(review),
      footer,
    },
    input.limits.commentLength,
  )
}

/**
 * The comments on lines, for the findings placed inline.
 *
 * @param secrets our own, which nobody is to read in a comment
 */
export function renderInlineComments(
  findings: readonly Finding[],
  limits: PlatformLimits,
  secrets: readonly string[],
): InlineComment[] {
  return findings
    .filter((finding) => finding.placement === 'inline')
    .map((finding) => ({
      marker: findingMarker(finding),
      path: finding.path,
      side: finding.side,
      startLine: finding.startLine,
      endLine: finding.endLine,
      body: renderFinding(blotFinding(finding, secrets), limits),
    }))
}

function blotReview(review: Review, secrets: readonly string[]): Review {
  const { coverage } = review
  const blot = (text: string) => blotSecrets(text, secrets)
  return {
    ...review,
    summary: blot(review.summary),
    findings: review.findings.map((finding) => blotFinding(finding, secrets)),
    coverage: {
      ...coverage,
      skipped: coverage.skipped.map((file) => ({ ...file, path: blot(file.path), reason: blot(file.reason) })),
      notes: coverage.notes.map(blot),
    },
  }
}

/** A finding as it may be shown. A suggestion is shown as it is or not at all: somebody may commit it. */
function blotFinding(finding: Finding, secrets: readonly string[]): Finding {
  const blot = (text: string) => blotSecrets(text, secrets)
  const { suggestion } = finding
  const isHarmless = suggestion !== null && blot(suggestion) === suggestion && isHarmlessCode(suggestion)
  return {
    ...finding,
    path: blot(finding.path),
    title: blot(finding.title),
    body: blot(finding.body),
    suggestion: isHarmless ? suggestion : null,
    evidence: finding.evidence.map((item) => ({ ...item, path: blot(item.path), note: blot(item.note) })),
  }
}

/** The text for the commit's status, at most 140 characters. */
export function renderStatus(review: Review): string {
  const counts = countSeverities(review.findings)
  return `${verdictNames[review.verdict]}${counts === '' ? '' : ` · ${counts}`} · confidence ${review.confidence}/5`
}

const verdictNames = {
  APPROVE: 'Approved',
  REQUEST_CHANGES: 'Changes requested',
  NEEDS_DISCUSSION: 'Needs discussion',
} as const

const verdictIcons = { APPROVE: '🟢', REQUEST_CHANGES: '🔴', NEEDS_DISCUSSION: '🟡' } as const

function renderHeadline(review: Review): string {
  const counts = countSeverities(review.findings)
  return `${verdictIcons[review.verdict]} ${verdictNames[review.verdict]}${counts === '' ? '' : ` · ${counts}`}`
}

function countSeverities(findings: readonly Finding[]): string {
  const count = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length
  return (['critical', 'moderate', 'minor'] as const)
    .filter((severity) => count(severity) > 0)
    .map((severity) => `${count(severity)} ${severity}`)
    .join(', ')
}

function renderCleanLine(review: Review): string {
  const files = review.coverage.filesReviewed
  return `Nothing found in ${files} ${files === 1 ? 'file' : 'files'} at ${review.headSha.slice(0, 7)}.`
}

/** The rows of the table. */
function renderRows(findings: readonly Finding[]): string[] {
  return findings.map((finding) => {
    const title = neutralizeLine(finding.title, { maxLength: 200, inCell: true })
    const unverified = finding.verified ? '' : ' *(unverified)*'
    return `| ${icons[finding.severity]} | ${title}${unverified} | ${codeSpan(formatPlace(finding), { inCell: true })} |`
  })
}

function formatPlace(finding: Finding): string {
  return `${finding.path}:${finding.startLine}`
}

function renderPlace(finding: Finding): string {
  return codeSpan(formatPlace(finding))
}

/** Findings without a line of their own are told in full here: nothing is lost. */
function renderUnplaced(findings: readonly Finding[]): string {
  return findings
    .map((finding) => `${renderClaim(finding)} (${renderPlace(finding)})\n\n${renderBody(finding)}`)
    .join('\n\n')
}

function renderStates(open: readonly Finding[], resolved: readonly Finding[]): string {
  const held = open.filter((finding) => finding.placement === 'held_back')
  if (held.length === 0 && resolved.length === 0) return ''
  const title = [
    `Open ${open.length}`,
    ...(resolved.length > 0 ? [`Resolved ${resolved.length}`] : []),
    ...(held.length > 0 ? [`Held back ${held.length}`] : []),
  ].join(' · ')
  const line = (finding: Finding, word: string) =>
    `- ${icons[finding.severity]} ${word}: ${neutralizeLine(finding.title, { maxLength: 200 })} (${renderPlace(finding)})`
  return renderDetails(title, [
    ...held.map((finding) => line(finding, 'Held back')),
    ...resolved.map((finding) => line(finding, 'Resolved')),
  ])
}

function renderCoverage({ coverage }: Review): string {
  if (coverage.complete && coverage.skipped.length === 0 && coverage.notes.length === 0) return ''
  const byReason = new Map<string, SkippedFile[]>()
  for (const file of coverage.skipped) byReason.set(file.reason, [...(byReason.get(file.reason) ?? []), file])
  const skipped = [...byReason].map(([reason, files]) => {
    const shown = files.slice(0, 10).map((file) => codeSpan(file.path))
    const more = files.length > shown.length ? ` and ${files.length - shown.length} more` : ''
    return `- Not reviewed (${neutralizeLine(reason, { maxLength: 200 })}): ${shown.join(', ')}${more}`
  })
  const notes = coverage.notes.map((note) => `- ${neutralizeLine(note, { maxLength: 400 })}`)
  return renderDetails(`Coverage: ${coverage.filesReviewed} of ${coverage.filesTotal} files reviewed`, [
    ...skipped,
    ...notes,
  ])
}

/** Markdown inside `<summary>` isn't rendered by hosts: `<strong>` is. */
function renderDetails(title: string, lines: readonly string[]): string {
  return `<details><summary><strong>${title}</strong></summary>\n\n${lines.join('\n')}\n\n</details>`
}

function renderClaim(finding: Finding): string {
  const unverified = finding.verified ? '' : ' *(unverified)*'
  return `**${icons[finding.severity]} ${severityNames[finding.severity]} · ${finding.category}**: ${neutralizeLine(finding.title, { maxLength: 300 })}${unverified}`
}

function renderBody(finding: Finding): string {
  const evidence = finding.evidence
    .filter((item) => item.path !== finding.path || item.line !== finding.startLine)
    .map(
      (item) =>
        `- ${codeSpan(`${item.path}:${item.line}`)}${item.note === '' ? '' : ` ${neutralizeLine(item.note, { maxLength: 300 })}`}`,
    )
  return [
    neutralizeMarkdown(finding.body, { maxLength: 3000 }),
    ...(evidence.length > 0 ? [evidence.join('\n')] : []),
  ].join('\n\n')
}

function renderFinding(finding: Finding, limits: PlatformLimits): string {
  const suggestion =
    finding.suggestion !== null && limits.suggestions ? [codeFence('suggestion', finding.suggestion)] : []
  const claim = renderClaim(finding)
  const marker = findingMarker(finding)
  const versions = [
    [claim, renderBody(finding), ...suggestion, marker],
    [claim, renderBody(finding), marker],
    [claim, marker],
  ].map((parts) => parts.join('\n\n'))
  return versions.find((version) => version.length <= limits.commentLength) ?? (versions.at(-1) as string)
}

/** What a summary is made of, top to bottom; what there is nothing to say about is empty. */
interface SummaryParts {
  readonly heading: string
  readonly words: string
  readonly rows: readonly string[]
  readonly unplaced: string
  readonly states: string
  readonly coverage: string
  readonly footer: string
}

/** From the first to go to the last. Heading, table and footer stay. */
const optionalParts = ['coverage', 'states', 'unplaced', 'words'] as const
const leftOut = '*The comment would be longer than the platform takes: some of it is left out.*'

/** Leaves out parts until the comment fits; if need be, the last rows of the table too. */
function fitComment(whole: SummaryParts, maxLength: number): string {
  let parts = whole
  let text = joinParts(parts)
  for (const part of optionalParts) {
    if (text.length <= maxLength) return text
    parts = { ...parts, [part]: '' }
    text = joinParts(parts, leftOut)
  }
  let room = maxLength - joinParts({ ...parts, rows: [''] }, leftOut).length
  const fitting = parts.rows.findIndex((row) => {
    room -= row.length + 1
    return room < 0
  })
  return fitting === -1 ? text : joinParts({ ...parts, rows: parts.rows.slice(0, fitting) }, leftOut)
}

function joinParts(parts: SummaryParts, note = ''): string {
  const table = parts.rows.length === 0 ? '' : ['| | Finding | Where |', '|---|---|---|', ...parts.rows].join('\n')
  const { heading, words, unplaced, states, coverage, footer } = parts
  return [heading, words, table, unplaced, states, coverage, note, footer].filter((part) => part !== '').join('\n\n')
}

function formatDuration(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`
}
