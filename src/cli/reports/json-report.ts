// Renders the report as JSON or NDJSON. docs/command-line.md describes every field.
import { toSnakeCase } from '../../contract/records.ts'
import { type Finding, isRecordCitation } from '../../domain/finding.ts'
import type { ContextRecordSummary } from '../../domain/live-context.ts'
import { nameLineCounts, type Review } from '../../domain/review.ts'
import { toSafeJson } from '../../lib/terminal-text.ts'
import { describeEmptyReview } from './describe-report.ts'
import type { ComparisonSummary, Report } from './report.ts'

/** The version increases when a field changes its meaning or is removed, not when one is added. */
const schemaVersion = 1

/** Renders one document. */
export function renderJson(report: Report): string {
  const { compared, review } = report
  const document = {
    schema_version: schemaVersion,
    compared: describeCompared(compared),
    ...describeOutcome(report),
    findings: review?.findings.map(describeFinding) ?? [],
  }
  return `${toSafeJson(document, 2)}\n`
}

/** Renders the first line of NDJSON. */
export function renderStart(compared: ComparisonSummary): string {
  return toLine({
    type: 'start',
    schema_version: schemaVersion,
    compared: describeCompared(compared),
  })
}

/** Renders a line of NDJSON for a step that ended. */
export function renderStep(step: string, durationMs: number): string {
  return toLine({ type: 'progress', step, duration_ms: durationMs })
}

/** Renders the last lines of NDJSON: the findings, then the result of the review. */
export function renderEnd(report: Report): string {
  const findings = report.review?.findings ?? []
  const lines = findings.map((finding) => toLine({ type: 'finding', ...describeFinding(finding) }))
  return [...lines, toLine({ type: 'review', ...describeOutcome(report) })].join('')
}

function toLine(value: object): string {
  return `${toSafeJson(value)}\n`
}

function describeCompared({ kind, description, baseSha, headSha, url }: ComparisonSummary) {
  return { kind, description, base: baseSha, head: headSha, url }
}

/** These fields have no value if there is nothing to review. */
const noReview = {
  verdict: null,
  confidence: null,
  confidenceReason: null,
  ends: [],
  warnings: [],
  reviewers: [],
}

function describeOutcome(report: Report) {
  const { review, failOn, exitCode, durationMs } = report
  const { verdict, ends, confidence, confidenceReason, warnings, reviewers } = review ?? noReview
  return {
    verdict,
    ends,
    confidence,
    confidence_reason: confidenceReason,
    summary: review?.summary ?? describeEmptyReview(report),
    coverage: review && describeCoverage(review),
    warnings,
    usage: review && toSnakeCase(review.usage),
    sources: describeSources(report),
    reviewers,
    fail_on: failOn,
    exit_code: exitCode,
    duration_ms: durationMs,
  }
}

function describeCoverage({ coverage }: Review) {
  const { complete, filesTotal, filesReviewed, notes } = coverage
  return {
    ...toSnakeCase({ complete, filesTotal, filesReviewed, notes }),
    lines: toSnakeCase(nameLineCounts(coverage.lines)),
    skipped: coverage.skipped.map((file) => ({ ...file, lines: file.lines ?? null })),
  }
}

function describeSources({ change }: Report) {
  return {
    records: change?.liveContext.records.map(describeRecord) ?? [],
    missing: change?.liveContext.missing.map(({ source, reason }) => ({ source, reason })) ?? [],
  }
}

function describeRecord({ source, kind, key, title, url }: ContextRecordSummary) {
  return { source, kind, key, title, url }
}

function describeFinding(finding: Finding) {
  const { citation } = finding
  return {
    fingerprint: finding.fingerprint,
    reviewer: finding.reviewer,
    rule: ruleIdOf(finding),
    severity: finding.severity,
    category: finding.category,
    path: finding.path,
    side: finding.side === 'LEFT' ? 'old' : 'new',
    start_line: finding.startLine,
    end_line: finding.endLine,
    title: finding.title,
    body: finding.body,
    suggestion: finding.suggestion,
    evidence: finding.evidence.map(({ path, line, note }) => ({ path, line, note })),
    rests_on: citation && isRecordCitation(citation) ? describeRecord(citation) : null,
    confidence: finding.confidence,
    verified: finding.verified,
    held_back: finding.placement === 'held_back',
  }
}

/** The ID is stable. It is the rule, or the category for a finding that a model reported. */
export function ruleIdOf({ rule, category }: Pick<Finding, 'rule' | 'category'>): string {
  return rule ?? `umpire/${category}`
}
