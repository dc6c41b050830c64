// Renders the report as annotations that a CI system reads from the output of a job.
import type { Finding } from '../../domain/finding.ts'
import type { Review } from '../../domain/review.ts'
import { escapeControls, toTerminalLine } from '../../lib/terminal-text.ts'
import type { AnnotationFormat } from '../../platforms/platform.ts'
import { countSeverities } from '../../workflows/decide-verdict.ts'
import {
  describeCoverage,
  describeEmptyReview,
  describeEnd,
  describeUnreviewed,
  listUnreviewed,
} from './describe-report.ts'
import type { Report } from './report.ts'

/** Further limits are only counted, to keep the log of the job short. */
const maxListedLimits = 50

/** Renders one annotation per line. The last one is always the verdict with its counts. */
export function renderAnnotations(report: Report, format: AnnotationFormat): string {
  const { review } = report
  if (review === null) return format.message('notice', toTerminalLine(describeEmptyReview(report)))
  const limits = listLimits(review)
  const more = limits.length - maxListedLimits
  return [
    ...review.findings.map((finding) => format.finding(escapeFinding(finding))),
    ...limits
      .slice(0, maxListedLimits)
      .map((text) => format.message('warning', toTerminalLine(text))),
    ...(more > 0
      ? [format.message('warning', `… and ${more} more limits of this review: see --format json.`)]
      : []),
    format.message('notice', describeVerdict(review)),
  ].join('')
}

function escapeFinding(finding: Finding): Finding {
  const { path, title, body } = finding
  return {
    ...finding,
    path: escapeControls(path),
    title: escapeControls(title),
    body: escapeControls(body),
  }
}

function listLimits({ coverage }: Review): string[] {
  return [
    ...(coverage.complete ? [] : ['The review is partial: part of what matters was not reviewed.']),
    ...listUnreviewed(coverage).map(describeUnreviewed),
    ...coverage.notes,
  ]
}

function describeVerdict(review: Review): string {
  const counts = countSeverities(review.findings) || 'no findings'
  return `${describeEnd(review)} · ${counts} · ${describeCoverage(review.coverage)}`
}
