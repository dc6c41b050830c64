// Renders the report for people on a terminal. All untrusted text is escaped.
import { styleText } from 'node:util'
import { redactSecrets } from '../../code/find-secrets.ts'
import type { Change } from '../../domain/change.ts'
import type { DiffSide, FileDiff } from '../../domain/diff.ts'
import { type Finding, isRecordCitation, type Severity } from '../../domain/finding.ts'
import type { ContextRecordSummary } from '../../domain/live-context.ts'
import { hasModel, type Review, type SkippedFile } from '../../domain/review.ts'
import {
  toTerminalLine,
  toTerminalPath,
  toTerminalText,
  wrapText,
} from '../../lib/terminal-text.ts'
import { formatCount, groupDigits, joinFirst } from '../../lib/text.ts'
import { countSeverities } from '../../workflows/decide-verdict.ts'
import { describeMissing } from '../../workflows/posting/summarize-review.ts'
import {
  describeCoverage,
  describeEmptyReview,
  describeEnd,
  describeExitCode,
} from './describe-report.ts'
import { ruleIdOf } from './json-report.ts'
import type { Report } from './report.ts'

type Style = Parameters<typeof styleText>[0]

/** Colors a text, or returns it unchanged. */
export type Paint = (style: Style, text: string) => string

/** Creates a function that colors text if the stream is a terminal and `NO_COLOR` is not set. */
export function createPaint(stream: NodeJS.WriteStream): Paint {
  return (style, text) => styleText(style, text, { stream })
}

const width = 80
const maxCodeLines = 12
const maxNamedFiles = 10
/** If there are more findings, only the first ones, the most severe, are shown. */
const maxFindings = 200

const verdictStyles = {
  APPROVE: 'green',
  REQUEST_CHANGES: 'red',
  NEEDS_DISCUSSION: 'yellow',
} as const
const severityStyles: Readonly<Record<Severity, Style>> = {
  critical: 'red',
  moderate: 'yellow',
  minor: 'blue',
}

/** Renders the whole report. */
export function renderPretty(report: Report, paint: Paint): string {
  const { review, change } = report
  if (review === null || change === null) return `${toTerminalLine(describeEmptyReview(report))}\n`
  const { findings } = review
  const shown = findings.slice(0, maxFindings)
  const files = new Map(change.diff.files.map((file) => [file.path, file]))
  const parts = [
    renderHeader(review, paint),
    ...shown.map((finding) => renderFinding(finding, files.get(finding.path), paint)),
    renderOmittedCount(findings.length - shown.length),
    renderCoverage(review, paint),
    renderWarnings(review, paint),
    renderSources(change),
    renderFooter(review, report, paint),
    renderEnd(review, report, paint),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function renderVerdict(review: Review, paint: Paint): string {
  const verdict = paint(['bold', verdictStyles[review.verdict]], describeEnd(review))
  return [verdict, countSeverities(review.findings)].filter((part) => part !== '').join(' · ')
}

function renderHeader(review: Review, paint: Paint): string {
  const headline = renderVerdict(review, paint)
  const confidence = hasModel(review)
    ? wrapText(
        `Confidence ${review.confidence}/5: ${toTerminalLine(review.confidenceReason)}`,
        width,
      )
    : []
  const isIncomplete = review.ends.includes('incomplete')
  const missing = isIncomplete
    ? [paint('yellow', capitalize(`${describeMissing(review.coverage)}.`))]
    : []
  return [headline, ...missing, ...confidence.map((line) => paint('dim', line))].join('\n')
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function renderFinding(finding: Finding, file: FileDiff | undefined, paint: Paint): string {
  const code = file ? collectCode(file, finding) : new Map<number, string>()
  return [
    ...renderTitle(finding, paint),
    ...(finding.suggestion === null ? renderCode(code, paint) : []),
    ...wrapIndented(toTerminalText(finding.body), 4),
    ...finding.evidence
      .filter((item) => item.path !== finding.path || !code.has(item.line))
      .map(({ path, line, note }) => `- ${toTerminalPath(path)}:${line} ${toTerminalLine(note)}`)
      .flatMap((text) => wrapIndented(text.trimEnd(), 4)),
    ...renderCitation(finding),
    ...renderSuggestion(finding, code, paint),
  ].join('\n')
}

function renderCitation({ citation }: Finding): string[] {
  if (citation === undefined || !isRecordCitation(citation)) return []
  return wrapIndented(`Based on ${formatRecord(citation)}`, 4)
}

function formatRecord({ source, key, title, url }: ContextRecordSummary): string {
  const titleWithKey = key === null || title.includes(key) ? title : `${key}: ${title}`
  const parts = [`${source}:`, toTerminalLine(titleWithKey)]
  if (url !== null) parts.push(toTerminalLine(url))
  return parts.join(' ')
}

function renderTitle(finding: Finding, paint: Paint): string[] {
  const { severity, title, verified } = finding
  const details = [
    formatLocation(finding),
    ruleIdOf(finding),
    ...(verified ? [] : ['unverified']),
  ].join(' · ')
  const [first = '', ...rest] = wrapText(toTerminalLine(title), width - severity.length - 4)
  return [
    `  ${paint(severityStyles[severity], severity)}  ${paint('bold', first)}`,
    ...rest.map((line) => indent(paint('bold', line), severity.length + 4)),
    indent(paint('dim', details), 4),
  ]
}

/** Many terminals open `path:line` in an editor. */
function formatLocation({ path, startLine, endLine, side }: Finding): string {
  const lines = startLine === endLine ? `${startLine}` : `${startLine}-${endLine}`
  const location = `${toTerminalPath(path)}:${lines}`
  return side === 'LEFT' ? `${location} before the change` : location
}

/** Collects the lines of a finding that the diff contains, by line number. */
function collectCode(file: FileDiff, { side, startLine, endLine }: Finding): Map<number, string> {
  const code = new Map<number, string>()
  for (const line of file.hunks.flatMap((hunk) => hunk.lines)) {
    const number = lineNumberOn(side, line)
    if (number !== null && number >= startLine && number <= endLine) code.set(number, line.text)
  }
  return code
}

function lineNumberOn(
  side: DiffSide,
  line: { oldLine: number | null; newLine: number | null },
): number | null {
  return side === 'LEFT' ? line.oldLine : line.newLine
}

function renderCode(code: ReadonlyMap<number, string>, paint: Paint): string[] {
  const digits = String([...code.keys()].at(-1) ?? 0).length
  const lines = [...code].map(
    ([number, text]) => `${String(number).padStart(digits)} │ ${toTerminalCode(text)}`,
  )
  return cutLines(lines).map((line) => indent(paint('cyan', line), 4))
}

/** Renders the suggestion as a diff, without equal lines at the start and end. */
function renderSuggestion(
  { suggestion }: Finding,
  code: ReadonlyMap<number, string>,
  paint: Paint,
): string[] {
  if (suggestion === null) return []
  const old = [...code.values()]
  const suggested = suggestion === '' ? [] : suggestion.split('\n')
  const maxEqual = Math.min(old.length, suggested.length)
  let start = 0
  while (start < maxEqual && old[start] === suggested[start]) start++
  let end = 0
  while (end < maxEqual - start && old.at(-1 - end) === suggested.at(-1 - end)) end++
  const removed = old
    .slice(start, old.length - end)
    .map((line) => paint('red', `- ${toTerminalCode(line)}`))
  const added = suggested
    .slice(start, suggested.length - end)
    .map((line) => paint('green', `+ ${toTerminalCode(line)}`))
  return [...cutLines(removed), ...cutLines(added)].map((line) => indent(line, 4))
}

/** Escapes a line of code, expands its tabs and redacts secrets. */
function toTerminalCode(text: string): string {
  const redacted = redactSecrets(text.replace(/\r$/, ''))
  return toTerminalPath(redacted.replaceAll('\t', '  ')).slice(0, 200)
}

function cutLines(lines: readonly string[]): readonly string[] {
  return lines.length <= maxCodeLines ? lines : [...lines.slice(0, maxCodeLines - 1), '…']
}

function renderOmittedCount(count: number): string {
  if (count === 0) return ''
  const findings = formatCount(count, 'more finding')
  return `… and ${findings}, less severe: see them all with --format json`
}

function renderCoverage({ coverage }: Review, paint: Paint): string {
  const { skipped, notes, complete } = coverage
  const title = describeCoverage(coverage)
  const lines = [
    ...Map.groupBy(skipped, ({ reason }) => reason)
      .entries()
      .map(([reason, files]) => `Not reviewed (${toTerminalLine(reason)}): ${formatFiles(files)}`),
    ...notes.map(toTerminalLine),
  ]
  const wrapped = lines.flatMap((line) => wrapIndented(`- ${line}`, 2))
  return [complete ? title : paint('yellow', title), ...wrapped].join('\n')
}

/** Warnings are about the configuration, which the user of the command can fix. */
function renderWarnings({ warnings }: Review, paint: Paint): string {
  return warnings
    .flatMap(({ message }) => wrapText(`Warning: ${toTerminalLine(message)}`, width))
    .map((line) => paint('yellow', line))
    .join('\n')
}

/** Lists the records that were found. Sources that did not answer are among the notes. */
function renderSources({ liveContext }: Change): string {
  const { records } = liveContext
  if (records.length === 0) return ''
  const lines = records.flatMap((record) => wrapIndented(`- ${formatRecord(record)}`, 2))
  return ['Sources', ...lines].join('\n')
}

function formatFiles(files: readonly SkippedFile[]): string {
  const names = files.slice(0, maxNamedFiles).map(({ path }) => toTerminalPath(path))
  return joinFirst(names, files.length)
}

const suppressionHint =
  'To suppress a rule or files, set rules.disable or paths.exclude in .umpire.yml: ' +
  'see docs/repository-settings.md'

function renderFooter(
  { usage, reviewers, findings }: Review,
  { durationMs }: Report,
  paint: Paint,
): string {
  const seconds = (durationMs / 1000).toFixed(1)
  const names = reviewers.map((name) => (name === 'static' ? 'rules' : toTerminalLine(name)))
  const onlyRules = names.length === 1 && names[0] === 'rules' ? ' only' : ''
  const parts = [`Reviewed in ${seconds} s with ${names.join(', ')}${onlyRules}`]
  if (usage.calls > 0) {
    const calls = formatCount(usage.calls, 'model call')
    const inputTokens = groupDigits(usage.inputTokens)
    const outputTokens = groupDigits(usage.outputTokens)
    const cost = usage.costUsd === null ? 'at an unknown price' : `for $${usage.costUsd.toFixed(4)}`
    parts.push(`${calls}, ${inputTokens} tokens in, ${outputTokens} out, ${cost}`)
  }
  if (findings.length > 0) parts.push(suppressionHint)
  return parts
    .flatMap((part) => wrapText(part, width))
    .map((line) => paint('dim', line))
    .join('\n')
}

/** Repeats the verdict after findings, because the first line may have scrolled out of sight. */
function renderEnd(review: Review, report: Report, paint: Paint): string {
  const exitReason = describeExitCode(report)
  return [
    ...(review.findings.length > 0 ? [renderVerdict(review, paint)] : []),
    ...(exitReason === null ? [] : wrapText(exitReason, width).map((line) => paint('dim', line))),
  ].join('\n')
}

function wrapIndented(text: string, spaces: number): string[] {
  return wrapText(text, width - spaces).map((line) => indent(line, spaces))
}

function indent(line: string, spaces: number): string {
  return line === '' ? '' : ' '.repeat(spaces) + line
}
