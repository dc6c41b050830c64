// What reviews reached and what they came to: coverage, verdicts, confidence, severities.
import { SeverityBadge, VerdictBadge } from '../../components/badge.tsx'
import { Panel } from '../../components/page.tsx'
import { type BarRow, BarTable } from './bar-table.tsx'
import { formatQuantity } from './format-numbers.ts'
import type { InsightsResponse, ReviewMetricsResponse } from './insights-queries.ts'

const formatPullRequests = (count: number) => formatQuantity(count, 'pull request')

export function ReviewCoveragePanel({
  reviewing: { coverage, period },
}: {
  reviewing: ReviewMetricsResponse
}) {
  const parts: BarRow[] = [
    { name: 'Reviewed', count: coverage.reviewed, fill: 'fill-mark-good' },
    { name: 'Under way', count: coverage.under_way, fill: 'fill-accent' },
    { name: 'Failed', count: coverage.failed, fill: 'fill-mark-bad' },
    { name: 'Skipped', count: coverage.skipped, fill: 'fill-muted' },
    { name: 'Not asked for', count: coverage.not_asked, fill: 'fill-muted' },
  ]
  return (
    <Panel title="Coverage">
      <p className="mb-2 text-muted">
        Something happened to {formatPullRequests(coverage.pull_requests)} in these {period.days}{' '}
        days. One that has a review, however old, counts as reviewed.
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
  const parts = verdictFills.map(([verdict, fill]) => {
    return {
      name: verdict,
      count: outcome.verdicts[verdict],
      fill,
      sign: <VerdictBadge verdict={verdict} />,
    }
  })
  return (
    <Panel title="Verdicts">
      <p className="mb-2 text-muted">
        What the latest review of {formatPullRequests(countReviewed(outcome))} came to: earlier ones
        don’t count.
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
      fill: 'fill-accent',
    }
  })
  return (
    <Panel title="Confidence">
      <p className="mb-2 text-muted">
        How sure the latest review of {formatPullRequests(countReviewed(outcome))} is of its
        verdict.
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
  const parts = severityFills.map(([severity, fill]) => {
    return {
      name: severity,
      count: outcome.issue_categories[severity],
      fill,
      sign: <SeverityBadge severity={severity} />,
    }
  })
  const all = parts.reduce((sum, { count }) => sum + count, 0)
  return (
    <Panel title="Open findings">
      <p className="mb-2 text-muted">
        {formatQuantity(all, 'finding is', 'findings are')} open in{' '}
        {formatPullRequests(countReviewed(outcome))} after the latest review.
      </p>
      <BarTable caption="Open findings" nameHeader="Severity" countHeader="Findings" rows={parts} />
    </Panel>
  )
}

/** As many as came to a verdict. */
function countReviewed({ verdicts: found }: InsightsResponse): number {
  return found.APPROVE + found.NEEDS_DISCUSSION + found.REQUEST_CHANGES
}
