// What reviews reached and what they came to: coverage, verdicts, confidence, severities.
import { SeverityBadge, VerdictBadge } from '../../components/badge.tsx'
import { Panel } from '../../components/page.tsx'
import { BarTable, type Part } from './bar-table.tsx'
import { formatNumber } from './format.ts'
import type { Outcome, Reviewing } from './queries.ts'

const pullRequests = (count: number) => formatNumber(count, 'pull request')

export function Coverage({ reviewing: { coverage, period } }: { reviewing: Reviewing }) {
  const parts: Part[] = [
    { name: 'Reviewed', count: coverage.reviewed, fill: 'fill-mark-good' },
    { name: 'Under way', count: coverage.under_way, fill: 'fill-accent' },
    { name: 'Failed', count: coverage.failed, fill: 'fill-mark-bad' },
    { name: 'Skipped', count: coverage.skipped, fill: 'fill-muted' },
    { name: 'Not asked for', count: coverage.not_asked, fill: 'fill-muted' },
  ]
  return (
    <Panel title="Coverage">
      <p className="mb-2 text-muted">
        Something happened to {pullRequests(coverage.pull_requests)} in these {period.days} days.
        One that has a review, however old, counts as reviewed.
      </p>
      <BarTable caption="Coverage" what="Review" counted="Pull requests" parts={parts} />
    </Panel>
  )
}

const verdicts = [
  ['APPROVE', 'fill-mark-good'],
  ['NEEDS_DISCUSSION', 'fill-mark-warn'],
  ['REQUEST_CHANGES', 'fill-mark-bad'],
] as const

export function Verdicts({ outcome }: { outcome: Outcome }) {
  const parts = verdicts.map(([verdict, fill]) => {
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
        What the latest review of {pullRequests(countReviewed(outcome))} came to: earlier ones don’t
        count.
      </p>
      <BarTable caption="Verdicts" what="Verdict" counted="Pull requests" parts={parts} />
    </Panel>
  )
}

export function Confidence({ outcome }: { outcome: Outcome }) {
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
        How sure the latest review of {pullRequests(countReviewed(outcome))} is of its verdict.
      </p>
      <BarTable caption="Confidence" what="Confidence" counted="Pull requests" parts={parts} />
    </Panel>
  )
}

const severities = [
  ['critical', 'fill-mark-bad'],
  ['moderate', 'fill-mark-warn'],
  ['minor', 'fill-muted'],
] as const

export function Severities({ outcome }: { outcome: Outcome }) {
  const parts = severities.map(([severity, fill]) => {
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
        {formatNumber(all, 'finding is', 'findings are')} open in{' '}
        {pullRequests(countReviewed(outcome))} after the latest review.
      </p>
      <BarTable caption="Open findings" what="Severity" counted="Findings" parts={parts} />
    </Panel>
  )
}

/** As many as came to a verdict. */
function countReviewed({ verdicts: found }: Outcome): number {
  return found.APPROVE + found.NEEDS_DISCUSSION + found.REQUEST_CHANGES
}
