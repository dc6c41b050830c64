// The report for people on a terminal: verdict, findings by file with their code, what was left out. All that others
// wrote is shown so that a terminal obeys none of it.
import { styleText } from 'node:util'
import type { DiffSide, FileDiff } from '../../domain/diff.ts'
import {
  compareBySeverity,
  type Finding,
  isRecordCitation,
  type Severity,
} from '../../domain/finding.ts'
import type { ContextRecordSummary } from '../../domain/live-context.ts'
import type { Review, SkippedFile } from '../../domain/review.ts'
import type { Change } from '../../reviewers/reviewer.ts'
import { redactSecrets } from '../../reviewers/rules/secret-rules.ts'
import { describeMissing } from '../../workflows/summarize-review.ts'
import { toTerminalLine, toTerminalPath, toTerminalText, wrapText } from '../terminal-text.ts'
import {
  describeCoverage,
  describeEmptyReview,
  describeEnd,
  describeExitCode,
  formatFindingCounts,
} from './describe-report.ts'
import { ruleIdOf } from './json-report.ts'
import type { Report } from './report.ts'

type Style = Parameters<typeof styleText>[0]

/** Colours a text, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string

/** Colours for the stream; none where it is no terminal or the user wants none (`NO_COLOR`). */
export function createPaint(stream: NodeJS.WriteStream): Paint {
  return (style, text) => styleText(style, text, { stream })
}

const width = 80
const maxCodeLines = 12
const maxNamedFiles = 10
/** Nobody reads more; the most severe ones. */
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

/** The whole report, ready to be printed. */
export function renderPretty(report: Report, paint: Paint): string {
  const { review, change } = report
  if (review === null || change === null) return `${toTerminalLine(describeEmptyReview(report))}\n`
  const shown = new Set(review.findings.toSorted(compareBySeverity).slice(0, maxFindings))
  const inOrder = review.findings.filter((finding) => shown.has(finding))
  const parts = [
    renderHeader(review, paint),
    ...Map.groupBy(inOrder, ({ path }) => path)
      .entries()
      .map(([path, findings]) => renderFile(path, findings, change, paint)),
    renderOmittedCount(review.findings.length - shown.size),
    renderCoverage(review, paint),
    renderWarnings(review, paint),
    renderSources(change),
    renderFooter(review, report, paint),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function renderHeader(review: Review, paint: Paint): string {
  const verdict = paint(['bold', verdictStyles[review.verdict]], describeEnd(review))
  const headline = [verdict, formatFindingCounts(review)].filter((part) => part !== '').join(' · ')
  const confidence = wrapText(
    `Confidence ${review.confidence}/5: ${toTerminalLine(review.confidenceReason)}`,
    width,
  )
  const isIncomplete = review.ends.includes('incomplete')
  const missing = isIncomplete
    ? [paint('yellow', capitalize(`${describeMissing(review.coverage)}.`))]
    : []
  return [headline, ...missing, ...confidence.map((line) => paint('dim', line))].join('\n')
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function renderFile(
  path: string,
  findings: readonly Finding[],
  change: Change,
  paint: Paint,
): string {
  const file = change.diff.files.find((candidate) => candidate.path === path)
  return [
    paint('bold', toTerminalPath(path)),
    ...findings.map((finding) => renderFinding(finding, file, paint)),
  ].join('\n\n')
}

function renderFinding(finding: Finding, file: FileDiff | undefined, paint: Paint): string {
  const code = file ? collectCode(file, finding) : new Map<number, string>()
  const body = wrapText(toTerminalText(finding.body), width - 4).map((line) => indent(line, 4))
  return [
    ...renderTitle(finding, paint),
    ...(finding.suggestion === null ? renderCode(code, paint) : []),
    ...body,
    ...finding.evidence
      .filter((item) => item.path !== finding.path || !code.has(item.line))
      .flatMap(({ path, line, note }) =>
        wrapText(
          `- ${toTerminalPath(path)}:${line} ${toTerminalLine(note)}`.trimEnd(),
          width - 4,
        ).map((text) => indent(text, 4)),
      ),
    ...renderCitation(finding),
    ...renderSuggestion(finding, code, paint),
  ].join('\n')
}

function renderCitation({ citation: restsOn }: Finding): string[] {
  if (restsOn === undefined || !isRecordCitation(restsOn)) return []
  return wrapText(`Rests on ${formatRecord(restsOn)}`, width - 4).map((line) => indent(line, 4))
}

function formatRecord({ source, key, title, url }: ContextRecordSummary): string {
  const told = key === null || title.includes(key) ? title : `${key}: ${title}`
  return [`${source}:`, toTerminalLine(told), ...(url === null ? [] : [toTerminalLine(url)])].join(
    ' ',
  )
}

function renderTitle(finding: Finding, paint: Paint): string[] {
  const { severity, title, verified } = finding
  const details = [
    formatLines(finding),
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

function formatLines({ startLine, endLine, side }: Finding): string {
  const lines = startLine === endLine ? `line ${startLine}` : `lines ${startLine}–${endLine}`
  return side === 'LEFT' ? `${lines} before the change` : lines
}

/** The text of a finding's lines as far as the diff shows them, by number. */
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

/** The suggested lines against those that are there, without what both begin and end with. */
function renderSuggestion(
  { suggestion }: Finding,
  code: ReadonlyMap<number, string>,
  paint: Paint,
): string[] {
  if (suggestion === null) return []
  const old = [...code.values()]
  const wanted = suggestion === '' ? [] : suggestion.split('\n')
  const most = Math.min(old.length, wanted.length)
  let start = 0
  while (start < most && old[start] === wanted[start]) start++
  let end = 0
  while (end < most - start && old.at(-1 - end) === wanted.at(-1 - end)) end++
  const removed = old
    .slice(start, old.length - end)
    .map((line) => paint('red', `- ${toTerminalCode(line)}`))
  const added = wanted
    .slice(start, wanted.length - end)
    .map((line) => paint('green', `+ ${toTerminalCode(line)}`))
  return [...cutLines(removed), ...cutLines(added)].map((line) => indent(line, 4))
}

/** A line of code: tabs as blanks, no secrets. */
function toTerminalCode(text: string): string {
  return toTerminalPath(redactSecrets(text.replace(/\r$/, '')).replaceAll('\t', '  ')).slice(0, 200)
}

function cutLines(lines: readonly string[]): readonly string[] {
  return lines.length <= maxCodeLines ? lines : [...lines.slice(0, maxCodeLines - 1), '…']
}

function renderOmittedCount(count: number): string {
  if (count === 0) return ''
  return `… and ${count} more ${count === 1 ? 'finding' : 'findings'}, less severe: see them all with --format json`
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
  const wrapped = lines
    .flatMap((line) => wrapText(`- ${line}`, width - 2))
    .map((line) => indent(line, 2))
  return [complete ? title : paint('yellow', title), ...wrapped].join('\n')
}

/** Who runs the command is who can do something about the model. */
function renderWarnings({ warnings }: Review, paint: Paint): string {
  return warnings
    .flatMap(({ message }) => wrapText(`Warning: ${toTerminalLine(message)}`, width))
    .map((line) => paint('yellow', line))
    .join('\n')
}

/** Those that had no answer stand among the limits. */
function renderSources({ liveContext: live }: Change): string {
  if (live.records.length === 0) return ''
  const lines = live.records.flatMap((record) => wrapText(`- ${formatRecord(record)}`, width - 2))
  return ['Sources', ...lines.map((line) => indent(line, 2))].join('\n')
}

function formatFiles(files: readonly SkippedFile[]): string {
  const named = files.slice(0, maxNamedFiles).map(({ path }) => toTerminalPath(path))
  return `${named.join(', ')}${files.length > named.length ? ` and ${files.length - named.length} more` : ''}`
}

function renderFooter({ usage, reviewers }: Review, report: Report, paint: Paint): string {
  const parts = [
    `Reviewed in ${(report.durationMs / 1000).toFixed(1)} s with ${reviewers.map(toTerminalLine).join(', ')}`,
  ]
  if (usage.calls > 0) {
    const calls = `${usage.calls} model ${usage.calls === 1 ? 'call' : 'calls'}`
    const tokens = `${groupDigits(usage.inputTokens)} tokens in, ${groupDigits(usage.outputTokens)} out`
    const cost =
      usage.costUsd === null ? 'at a price that is not known' : `for $${usage.costUsd.toFixed(4)}`
    parts.push(`${calls}, ${tokens}, ${cost}`)
  }
  const ending = describeExitCode(report)
  if (ending !== null) parts.push(ending)
  return parts
    .flatMap((part) => wrapText(part, width))
    .map((line) => paint('dim', line))
    .join('\n')
}

/** With commas. Not by the locale, whose tables take longer to load than the report to be written. */
function groupDigits(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

function indent(line: string, blanks: number): string {
  return line === '' ? '' : ' '.repeat(blanks) + line
}
