// How a review reads on the pull request: the summary and the inline comments. Pure; all foreign text is neutralised.
import type { Finding, Severity } from '../domain/finding.ts'
import type { Review, SkippedFile } from '../domain/review.ts'
import type { InlineComment, PlatformLimits } from '../platforms/platform.ts'
import { codeFence, codeSpan, neutralizeLine, neutralizeMarkdown } from './neutralize.ts'
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
}

/** The hidden text that a finding's inline comment carries; another one when it came back, as its thread is resolved. */
export function findingMarker({ fingerprint, reopened }: Finding): string {
  return `<!-- umpire:finding ${fingerprint}${reopened > 0 ? ` reopened=${reopened}` : ''} -->`
}

/** The one comment that is edited in place. */
export function renderSummary(input: SummaryInput): string {
  const { review } = input
  const marker = `${summaryMarker}v=1 head=${review.headSha} run=${input.runId} -->`
  const footer = `<sub>${neutralizeLine(input.serviceName, 40)} reviewed ${review.headSha.slice(0, 7)} in ${formatDuration(input.durationMs)} with ${review.reviewers.map(codeSpan).join(', ')}</sub>`
  const open = review.findings
  const isClean = open.length === 0 && isWhole(review.coverage) && review.verdict === 'APPROVE'
  const parts = [
    marker,
    `### ${renderHeadline(review)}`,
    `Confidence: ${review.confidence}/5: ${review.confidenceReason}`,
    isClean ? renderCleanLine(review) : neutralizeMarkdown(review.summary, { maxLength: 4000 }),
    renderTable(open.filter((finding) => finding.placement !== 'held_back')),
    renderUnplaced(open.filter((finding) => finding.placement === 'summary')),
    renderStates(open, input.resolved),
    renderCoverage(review),
    footer,
  ]
  return fitComment(parts, input.limits.commentLength)
}

/** The comments on lines, for the findings placed inline. */
export function renderInlineComments(findings: readonly Finding[], limits: PlatformLimits): InlineComment[] {
  return findings
    .filter((finding) => finding.placement === 'inline')
    .map((finding) => ({
      marker: findingMarker(finding),
      path: finding.path,
      side: finding.side,
      startLine: finding.startLine,
      endLine: finding.endLine,
      body: renderFinding(finding, limits),
    }))
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

function renderTable(findings: readonly Finding[]): string {
  if (findings.length === 0) return ''
  const rows = findings.map(
    (finding) =>
      `| ${icons[finding.severity]} | ${neutralizeLine(finding.title, 200)}${finding.verified ? '' : ' *(unverified)*'} | ${renderPlace(finding)} |`,
  )
  return ['| | Finding | Where |', '|---|---|---|', ...rows].join('\n')
}

function renderPlace(finding: Finding): string {
  return codeSpan(`${finding.path}:${finding.startLine}`)
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
    `- ${icons[finding.severity]} ${word}: ${neutralizeLine(finding.title, 200)} (${renderPlace(finding)})`
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
    return `- Not reviewed (${neutralizeLine(reason, 200)}): ${shown.join(', ')}${more}`
  })
  const notes = coverage.notes.map((note) => `- ${neutralizeLine(note, 400)}`)
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
  return `**${icons[finding.severity]} ${severityNames[finding.severity]} · ${finding.category}**: ${neutralizeLine(finding.title, 300)}${unverified}`
}

function renderBody(finding: Finding): string {
  const evidence = finding.evidence
    .filter((item) => item.path !== finding.path || item.line !== finding.startLine)
    .map(
      (item) =>
        `- ${codeSpan(`${item.path}:${item.line}`)}${item.note === '' ? '' : ` ${neutralizeLine(item.note, 300)}`}`,
    )
  return [
    neutralizeMarkdown(finding.body, { maxLength: 3000 }),
    ...(evidence.length > 0 ? [evidence.join('\n')] : []),
  ].join('\n\n')
}

function renderFinding(finding: Finding, limits: PlatformLimits): string {
  const suggestion =
    finding.suggestion !== null && limits.suggestions ? [codeFence('suggestion', finding.suggestion)] : []
  const parts = [renderClaim(finding), renderBody(finding), ...suggestion, findingMarker(finding)]
  const whole = parts.join('\n\n')
  return whole.length <= limits.commentLength ? whole : [renderClaim(finding), findingMarker(finding)].join('\n\n')
}

/** Leaves out the longest optional parts until the comment fits: heading, table and footer stay. */
function fitComment(parts: readonly string[], maxLength: number): string {
  const kept = parts.filter((part) => part !== '')
  while (kept.join('\n\n').length > maxLength) {
    const longest = kept.reduce((best, part, index) => (part.length > (kept[best] as string).length ? index : best), 0)
    kept[longest] = '*(left out: the comment would be longer than the platform takes)*'
  }
  return kept.join('\n\n')
}

function formatDuration(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`
}
