// The four figures that people look for first, each with what it is of.
import type { ReactNode } from 'react'
import {
  formatCount,
  formatDollars,
  formatDuration,
  formatQuantity,
  formatShare,
} from './format-numbers.ts'
import type { Insights } from './insights-queries.ts'

export function KeyMetrics({ insights: { outcome, reviewing } }: { insights: Insights }) {
  const { coverage, time_to_review: times, cost, reviews } = reviewing
  const { merge_metrics: merges } = outcome
  return (
    <dl className="mb-4 grid grid-cols-2 gap-3 lg:grid-cols-4 lg:gap-4">
      <KeyMetric
        name="Reviewed"
        figure={`${formatCount(coverage.reviewed)} of ${formatCount(coverage.pull_requests)}`}
      >
        {formatShare(coverage.reviewed, coverage.pull_requests)} of the pull requests
      </KeyMetric>
      <KeyMetric name="Time to review" figure={formatDuration(times.median_seconds)}>
        {times.count === 0
          ? 'No review was posted'
          : `Median of ${formatQuantity(times.count, 'pull request')}; nine of ten within ${formatDuration(times.p90_seconds)}`}
      </KeyMetric>
      <KeyMetric
        name="Time to merge"
        figure={merges.count === 0 ? '–' : formatDuration(merges.median_hours * 3600)}
      >
        {merges.count === 0
          ? 'Nothing was merged'
          : `Median of ${formatQuantity(merges.count, 'merged pull request')}; nine of ten within ${formatDuration(merges.p90_hours * 3600)}`}
      </KeyMetric>
      <KeyMetric name="Cost" figure={formatDollars(cost.total_usd)}>
        {cost.per_review.count === 0
          ? 'No review has a known price'
          : `Median of a review ${formatDollars(cost.per_review.median_usd)}; ${formatCount(cost.per_review.count)} of ${formatCount(reviews.posted)} have a known price`}
      </KeyMetric>
    </dl>
  )
}

/** `children` say what the figure is of. */
function KeyMetric({
  name,
  figure,
  children,
}: {
  name: string
  figure: string
  children: ReactNode
}) {
  return (
    <div className="rounded-lg border border-line bg-surface p-3">
      <dt className="text-muted">{name}</dt>
      <dd>
        <strong className="block font-semibold text-xl sm:text-2xl tabular-nums">{figure}</strong>
        <span className="block text-muted text-xs lg:min-h-8">{children}</span>
      </dd>
    </div>
  )
}
