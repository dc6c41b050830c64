// The report as a platform's CI system takes it from the output of a job: findings at their lines, limits, the verdict.
import type { Finding } from '../../domain/finding.ts'
import type { Review } from '../../domain/review.ts'
import type { AnnotationFormat } from '../../platforms/platform.ts'
import { showControls, showLine } from '../terminal-text.ts'
import type { Report } from './report.ts'
import {
  describeCoverage,
  describeNothing,
  describeUnseen,
  listUnseen,
  nameEnd,
  tellCounts,
} from './report-words.ts'

/** What is beyond is counted: the log of a job isn't the place to list it. */
const maxLimits = 50

/** Annotations line by line; the last one is always the verdict with its counts. */
export function renderAnnotations(report: Report, format: AnnotationFormat): string {
  const { review } = report
  if (review === null) return format.remark('notice', showLine(describeNothing(report)))
  const limits = listLimits(review)
  const more = limits.length - maxLimits
  return [
    ...review.findings.map((finding) => format.finding(showFinding(finding))),
    ...limits.slice(0, maxLimits).map((text) => format.remark('warning', showLine(text))),
    ...(more > 0
      ? [format.remark('warning', `… and ${more} more limits of this review: see --format json.`)]
      : []),
    format.remark('notice', describeVerdict(review)),
  ].join('')
}

function showFinding(finding: Finding): Finding {
  const { path, title, body } = finding
  return {
    ...finding,
    path: showControls(path),
    title: showControls(title),
    body: showControls(body),
  }
}

function listLimits({ coverage }: Review): string[] {
  return [
    ...(coverage.complete ? [] : ['The review is partial: part of what matters was not reviewed.']),
    ...listUnseen(coverage).map(describeUnseen),
    ...coverage.notes,
  ]
}

function describeVerdict(review: Review): string {
  const counts = tellCounts(review) || 'no findings'
  return `${nameEnd(review)} · ${counts} · ${describeCoverage(review.coverage)}`
}
