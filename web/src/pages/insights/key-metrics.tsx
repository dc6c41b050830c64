// Key metrics of reviews, each with its sample.
import type { ReactNode } from 'react'
import {
  formatCount,
  formatDollars,
  formatDuration,
  formatQuantity,
  formatShare,
} from './format-numbers.ts'
import type { Insights } from './insights-queries.ts'

export function KeyMetrics({
  insights: { outcome, reviewing },
  hasCost,
}: {
  insights: Insights
  hasCost: boolean
}) {
  const { coverage, time_to_review: times, cost, reviews } = reviewing
  const { merge_metrics: merges } = outcome
  const columnsClass = hasCost ? 'lg:grid-cols-4' : 'sm:grid-cols-3'
  return (
    <dl className={`mb-4 grid grid-cols-2 gap-3 lg:gap-4 ${columnsClass}`}>
      <KeyMetric
        name="Reviewed"
        value={`${formatCount(coverage.reviewed)} of ${formatCount(coverage.pull_requests)}`}
      >
        {formatShare(coverage.reviewed, coverage.pull_requests)} of the pull requests
      </KeyMetric>
      <KeyMetric name="Time to review" value={formatDuration(times.median_seconds)}>
        {times.count === 0
          ? 'No reviews were posted'
          : describeSample(
              formatQuantity(times.count, 'pull request'),
              formatDuration(times.p90_seconds),
            )}
      </KeyMetric>
      <KeyMetric
        name="Time to merge"
        value={merges.count === 0 ? '–' : formatDuration(merges.median_hours * 3600)}
      >
        {merges.count === 0
          ? 'No pull requests were merged'
          : describeSample(
              formatQuantity(merges.count, 'merged pull request'),
              formatDuration(merges.p90_hours * 3600),
            )}
      </KeyMetric>
      {hasCost && (
        <KeyMetric name="Cost" value={formatDollars(cost.total_usd)}>
          {describeReviewCost(cost.per_review, reviews.posted)}
        </KeyMetric>
      )}
    </dl>
  )
}

function describeSample(sample: string, p90: string): string {
  return `Median of ${sample}; p90: ${p90}`
}

function describeReviewCost(
  { count, median_usd: median }: Insights['reviewing']['cost']['per_review'],
  posted: number,
): string {
  if (count === 0) return 'No review has a known cost'
  const sample = `${formatCount(count)} of ${formatCount(posted)}`
  return `Median per review: ${formatDollars(median)}; cost known for ${sample}`
}

function KeyMetric({
  name,
  value,
  children,
}: {
  name: string
  value: string
  children: ReactNode
}) {
  return (
    <div className="rounded-lg border border-line bg-surface p-3">
      <dt className="text-muted">{name}</dt>
      <dd>
        <strong className="block font-semibold text-xl sm:text-2xl tabular-nums">{value}</strong>
        <span className="block text-muted text-xs lg:min-h-8">{children}</span>
      </dd>
    </div>
  )
}
