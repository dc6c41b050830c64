// Panels with coverage, verdicts, confidence and severities.
import { SeverityBadge, VerdictBadge } from '../../components/badge.tsx'
import { formatCount, formatQuantity } from '../../components/format-numbers.ts'
import { Panel } from '../../components/page.tsx'
import { type BarRow, BarTable } from './bar-table.tsx'
import type { InsightsResponse, ReviewMetricsResponse } from './insights-queries.ts'

const formatPullRequests = (count: number) => formatQuantity(count, 'pull request')

export function ReviewCoveragePanel({
  reviewing: { coverage, period },
}: {
  reviewing: ReviewMetricsResponse
}) {
  const parts: BarRow[] = [
    { name: 'Reviewed', count: coverage.reviewed, fillClass: 'fill-mark-good' },
    { name: 'In progress', count: coverage.under_way, fillClass: 'fill-accent' },
    { name: 'Failed', count: coverage.failed, fillClass: 'fill-mark-bad' },
    { name: 'Skipped', count: coverage.skipped, fillClass: 'fill-muted' },
    { name: 'Not requested', count: coverage.not_asked, fillClass: 'fill-muted' },
  ]
  return (
    <Panel title="Coverage">
      <p className="mb-2 text-muted">
        {formatCount(coverage.reviewed)} of {formatPullRequests(coverage.pull_requests)} with
        activity in the last {period.days} days were reviewed. Pull requests with an earlier review
        count as reviewed.
      </p>
      <BarTable caption="Coverage" nameHeader="Review" countHeader="Pull requests" rows={parts} />
    </Panel>
  )
}

const verdictFills = [
  ['APPROVE', 'fill-mark-good'],
  ['NEEDS_DISCUSSION', 'fill-mark-warn'],
  ['REQUEST_CHANGES', 'fill-mark-bad'],
] as const

export function VerdictsPanel({ outcome }: { outcome: InsightsResponse }) {
  const parts = verdictFills.map(([verdict, fillClass]): BarRow => {
    return {
      name: verdict,
      count: outcome.verdicts[verdict],
      fillClass,
      label: <VerdictBadge verdict={verdict} />,
    }
  })
  return (
    <Panel title="Verdicts">
      <p className="mb-2 text-muted">
        Verdict of the latest review of {formatPullRequests(countReviewed(outcome))}. Where a review
        is incomplete and requests no changes, a person is needed.
      </p>
      <BarTable caption="Verdicts" nameHeader="Verdict" countHeader="Pull requests" rows={parts} />
    </Panel>
  )
}

export function ConfidencePanel({ outcome }: { outcome: InsightsResponse }) {
  const parts = ([5, 4, 3, 2, 1] as const).map((confidence) => {
    return {
      name: `${confidence} of 5`,
      count: outcome.confidence_dist[confidence],
      fillClass: 'fill-accent',
    }
  })
  return (
    <Panel title="Confidence">
      <p className="mb-2 text-muted">
        Confidence of the latest review of {formatPullRequests(countReviewed(outcome))}.
      </p>
      <BarTable
        caption="Confidence"
        nameHeader="Confidence"
        countHeader="Pull requests"
        rows={parts}
      />
    </Panel>
  )
}

const severityFills = [
  ['critical', 'fill-mark-bad'],
  ['moderate', 'fill-mark-warn'],
  ['minor', 'fill-muted'],
] as const

export function SeveritiesPanel({ outcome }: { outcome: InsightsResponse }) {
  const parts = severityFills.map(([severity, fillClass]): BarRow => {
    return {
      name: severity,
      count: outcome.issue_categories[severity],
      fillClass,
      label: <SeverityBadge severity={severity} />,
    }
  })
  const total = parts.reduce((sum, { count }) => sum + count, 0)
  return (
    <Panel title="Open findings">
      <p className="mb-2 text-muted">
        {formatQuantity(total, 'finding is', 'findings are')} open in{' '}
        {formatPullRequests(countReviewed(outcome))} after their latest reviews.
      </p>
      <BarTable caption="Open findings" nameHeader="Severity" countHeader="Findings" rows={parts} />
    </Panel>
  )
}

function countReviewed({ verdicts }: InsightsResponse): number {
  return verdicts.APPROVE + verdicts.NEEDS_DISCUSSION + verdicts.REQUEST_CHANGES
}
