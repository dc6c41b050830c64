// How a finding reads on the pull request: in the table, in a list, and in full. Pure; all foreign text is neutralised.
import {
  type Citation,
  type Finding,
  isRecordCitation,
  type Severity,
} from '../../domain/finding.ts'
import type { InlineComment, PlatformLimits } from '../../platforms/platform.ts'
import { breakCommands } from './break-commands.ts'
import { codeFence, codeSpan, escapeLine, escapeMarkdown } from './escape-markdown.ts'
import { findingMarker } from './markers.ts'
import { redactFinding } from './redact-review.ts'
import { renderRecord } from './render-sources.ts'

const icons: Readonly<Record<Severity, string>> = { critical: '🔴', moderate: '🟡', minor: '🔵' }
const severityNames: Readonly<Record<Severity, string>> = {
  critical: 'Critical',
  moderate: 'Moderate',
  minor: 'Minor',
}

/**
 * The comments on lines, for the findings placed inline; and how one of the others reads that has a comment from before.
 *
 * @param secrets our own, which nobody is to read in a comment
 */
export function renderInlineComments(
  findings: readonly Finding[],
  limits: PlatformLimits,
  secrets: readonly string[],
): { comments: InlineComment[]; kept: InlineComment[] } {
  const render = (finding: Finding) => ({
    marker: findingMarker(finding),
    path: finding.path,
    side: finding.side,
    startLine: finding.startLine,
    endLine: finding.endLine,
    body: renderComment(redactFinding(finding, secrets), limits),
  })
  return {
    comments: findings.filter(({ placement }) => placement === 'inline').map(render),
    kept: findings.filter(({ placement }) => placement !== 'inline').map(render),
  }
}

/** A row of the summary's table. */
export function renderRow(finding: Finding): string {
  const title = escapeLine(finding.title, { maxLength: 200, inCell: true })
  const place = codeSpan(nameCode(finding), { inCell: true })
  return `| ${icons[finding.severity]} | ${title}${renderRemarks(finding)} | ${place} |`
}

/** An item of a list, under a word that says what became of the finding. What is resolved has no line any more. */
export function renderItem(finding: Finding, word: string): string {
  const place = codeSpan(finding.state === 'resolved' ? finding.path : nameCode(finding))
  return `- ${icons[finding.severity]} ${word}: ${escapeLine(finding.title, { maxLength: 200 })} (${place})`
}

/** A finding in full, where it has no line of its own. */
export function renderInFull(finding: Finding): string {
  return breakCommands(
    `${renderClaim(finding)} (${codeSpan(nameCode(finding))})\n\n${renderBody(finding)}`,
  )
}

/** What isn't in the code any more has no line. */
function nameCode({ path, startLine, removed }: Finding): string {
  return removed ? path : `${path}:${startLine}`
}

function renderClaim(finding: Finding): string {
  return `**${icons[finding.severity]} ${severityNames[finding.severity]} · ${finding.category}**: ${escapeLine(finding.title, { maxLength: 300 })}${renderRemarks(finding)}`
}

function renderRemarks({ verified, reopened, removed }: Finding): string {
  const remarks = [
    ...(verified ? [] : ['unverified']),
    ...(reopened > 0 ? ['came back'] : []),
    ...(removed ? ['removed from the code; revoke it'] : []),
  ]
  return remarks.length === 0 ? '' : ` *(${remarks.join(', ')})*`
}

function renderBody(finding: Finding): string {
  const evidence = finding.evidence
    .filter((item) => item.path !== finding.path || item.line !== finding.startLine)
    .map(
      (item) =>
        `- ${codeSpan(`${item.path}:${item.line}`)}${item.note === '' ? '' : ` ${escapeLine(item.note, { maxLength: 300 })}`}`,
    )
  return [
    escapeMarkdown(finding.body, { maxLength: 3000 }),
    ...(evidence.length > 0 ? [evidence.join('\n')] : []),
    ...(finding.citation ? [`Rests on: ${renderGround(finding.citation)}`] : []),
  ].join('\n\n')
}

function renderGround(ground: Citation): string {
  return isRecordCitation(ground)
    ? renderRecord(ground, [])
    : escapeLine(ground.text, { maxLength: 300 })
}

function renderComment(finding: Finding, limits: PlatformLimits): string {
  const suggestion =
    finding.suggestion !== null && limits.suggestions
      ? [codeFence('suggestion', finding.suggestion)]
      : []
  const claim = renderClaim(finding)
  // A command may begin in the title and end in the body.
  const words = breakCommands(`${claim}\n\n${renderBody(finding)}`)
  const marker = findingMarker(finding)
  const versions = [
    [words, ...suggestion, marker],
    [words, marker],
    [claim, marker],
  ].map((parts) => parts.join('\n\n'))
  return (
    versions.find((version) => version.length <= limits.maxCommentLength) ??
    (versions.at(-1) as string)
  )
}
