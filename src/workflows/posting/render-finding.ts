// Renders a finding for the pull request: as a table row, as a list item, and in full.
import type { Diff } from '../../domain/diff.ts'
import {
  type Citation,
  type DismissalKind,
  type Evidence,
  type Finding,
  isRecordCitation,
  type Severity,
} from '../../domain/finding.ts'
import type { InlineComment, Platform } from '../../platforms/platform.ts'
import { rules } from '../../reviewers/rules/index.ts'
import { breakCommands } from './break-commands.ts'
import { codeFence, codeSpan, escapeLine, escapeMarkdown } from './escape-markdown.ts'
import { formatLocation, removedRemark } from './finding-location.ts'
import { findingMarker } from './markers.ts'
import { placeInDiff } from './place-in-diff.ts'
import { redactFinding } from './redact-review.ts'
import { renderRecord } from './render-sources.ts'

const icons: Readonly<Record<Severity, string>> = { critical: '🔴', moderate: '🟡', minor: '🔵' }
const severityNames: Readonly<Record<Severity, string>> = {
  critical: 'Critical',
  moderate: 'Moderate',
  minor: 'Minor',
}

const kindNames: Readonly<Record<DismissalKind, string>> = {
  false_positive: 'false positive',
  accepted: "won't fix",
  handled: 'handled elsewhere',
}

interface CommentOptions {
  /** What it can show. */
  readonly platform: Pick<Platform, 'limits' | 'suggestionFence'>
  /** Null if it was not read again. */
  readonly diff: Diff | null
  /** Our own, which are redacted. */
  readonly secrets: readonly string[]
}

/**
 * Renders `comments` for the findings that are placed inline, and `kept` for the others, whose
 * comment of an earlier review is updated if there is one.
 */
export function renderInlineComments(
  findings: readonly Finding[],
  { platform, diff, secrets }: CommentOptions,
): { comments: InlineComment[]; kept: InlineComment[] } {
  const render = (finding: Finding) => ({
    marker: findingMarker(finding),
    place: placeInDiff(finding, diff),
    body: renderComment(redactFinding(finding, secrets), platform),
  })
  return {
    comments: findings.filter(({ placement }) => placement === 'inline').map(render),
    kept: findings.filter(({ placement }) => placement !== 'inline').map(render),
  }
}

/** Returns the URL of a finding's line on the platform; null if there is none. */
export type LinkTo = (finding: Finding) => string | null

/**
 * Renders an open finding as a list item.
 *
 * @param commentUrls URLs of comments, by fingerprint: the title links to that of the finding
 */
export function renderItem(
  finding: Finding,
  linkTo: LinkTo,
  commentUrls: ReadonlyMap<string, string>,
): string {
  const severity = `${icons[finding.severity]} **${severityNames[finding.severity]}**`
  const claim = escapeLine(finding.title, { maxLength: 200 })
  const url = commentUrls.get(finding.fingerprint)
  const title = `${url === undefined ? claim : `[${claim}](${url})`}${renderRemarks(finding)}`
  return `- ${severity} · ${title} · ${renderLocation(finding, linkTo)}`
}

/**
 * Renders a list item that begins with the state of the finding. If somebody dismissed it, it says
 * of which kind that is and ends with the reason, where these were given. Resolved ones have no
 * line.
 */
export function renderPast(finding: Finding, state: string): string {
  const isResolved = finding.state === 'resolved'
  const location = codeSpan(isResolved ? finding.path : formatLocation(finding))
  const title = escapeLine(finding.title, { maxLength: 200 })
  const { reason: text = '', kind = null } =
    (finding.state === 'dismissed' ? finding.dismissal : null) ?? {}
  const reason = escapeLine(text, { maxLength: 200 })
  const end = reason === '' ? '' : `. Reason: ${reason}`
  const settled = kind === null ? state : `${state} (${kindNames[kind]})`
  return `- ${icons[finding.severity]} ${settled}: ${title} (${location})${end}`
}

/** Renders a finding for the summary, where it has no line in the diff. */
export function renderInFull(finding: Finding, linkTo: LinkTo): string {
  return breakCommands(
    `${renderClaim(finding)} (${renderLocation(finding, linkTo)})\n\n${renderBody(finding)}`,
  )
}

function renderLocation(finding: Finding, linkTo: LinkTo): string {
  const location = codeSpan(formatLocation(finding))
  const url = linkTo(finding)
  return url === null ? location : `[${location}](${url})`
}

function renderClaim(finding: Finding): string {
  const { severity, category, title } = finding
  const weakness = findWeakness(finding)
  const kind = weakness === null ? category : `${category} (${weakness})`
  const heading = `**${icons[severity]} ${severityNames[severity]} · ${kind}**`
  return `${heading}: ${escapeLine(title, { maxLength: 300 })}${renderRemarks(finding)}`
}

/**
 * Returns the first CWE number of what a rule of ours reports; null for other findings. The table
 * of rules in the documentation has all.
 */
function findWeakness({ rule }: Finding): string | null {
  const { seeAlso = [] } = rules.find(({ id }) => id === rule) ?? {}
  return seeAlso.find((entry) => entry.startsWith('CWE-')) ?? null
}

function renderRemarks({ verified, answered, reopened, removed }: Finding): string {
  const remarks = [
    ...(verified ? [] : ['unverified']),
    ...(answered ? ['answered, and counts until it is fixed or dismissed'] : []),
    ...(reopened > 0 ? ['came back'] : []),
    ...(removed ? [removedRemark] : []),
  ]
  return remarks.length === 0 ? '' : ` (${remarks.join(', ')})`
}

function renderBody(finding: Finding): string {
  const evidence = finding.evidence
    .filter((item) => item.path !== finding.path || item.line !== finding.startLine)
    .map(renderEvidence)
  return [
    escapeMarkdown(finding.body, { maxLength: 3000 }),
    ...(evidence.length > 0 ? [evidence.join('\n')] : []),
    ...(finding.citation ? [`Rests on: ${renderCitation(finding.citation)}`] : []),
  ].join('\n\n')
}

function renderEvidence({ path, line, note }: Evidence): string {
  const location = `- ${codeSpan(`${path}:${line}`)}`
  return note === '' ? location : `${location} ${escapeLine(note, { maxLength: 300 })}`
}

function renderCitation(citation: Citation): string {
  return isRecordCitation(citation)
    ? renderRecord(citation, [])
    : escapeLine(citation.text, { maxLength: 300 })
}

/** Renders the comment of a finding that was fixed, where its thread can't be resolved. */
export function renderSettled(finding: Finding): Pick<InlineComment, 'marker' | 'body'> {
  const marker = findingMarker(finding)
  const claim = breakCommands(renderClaim(finding))
  return { marker, body: ['✅ **Resolved**', claim, marker].join('\n\n') }
}

/** Shows the replacement as a diff where the platform can't apply it. */
function renderSuggestion(
  { suggestion, quote, startLine, endLine }: Finding,
  fence: Platform['suggestionFence'],
): string[] {
  if (suggestion === null) return []
  const lines = endLine - startLine + 1
  if (fence !== null) return [codeFence(fence(lines), suggestion)]
  const prefix = (text: string, sign: string) =>
    text === '' ? [] : text.split('\n').map((line) => sign + line)
  // A quote with fewer lines is only a part of what is replaced.
  const before = quote.split('\n').length === lines ? prefix(quote, '-') : []
  return [codeFence('diff', [...before, ...prefix(suggestion, '+')].join('\n'))]
}

function renderComment(
  finding: Finding,
  { limits, suggestionFence }: CommentOptions['platform'],
): string {
  const suggestion = renderSuggestion(finding, suggestionFence)
  const claim = renderClaim(finding)
  // A command may begin in the title and end in the body.
  const text = breakCommands(`${claim}\n\n${renderBody(finding)}`)
  const marker = findingMarker(finding)
  const versions = [
    [text, ...suggestion, marker],
    [text, marker],
    [claim, marker],
  ].map((parts) => parts.join('\n\n'))
  return (
    versions.find((version) => version.length <= limits.maxCommentLength) ??
    (versions.at(-1) as string)
  )
}
