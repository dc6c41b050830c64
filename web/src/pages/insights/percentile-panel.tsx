// How things spread: the middle, and where nine of ten end.
import { DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/page.tsx'
import { formatCount, formatDollars, formatDuration, formatQuantity } from './format-numbers.ts'
import type { Insights } from './insights-queries.ts'

interface PercentileRow {
  readonly name: string
  readonly median: string
  readonly p90: string
  readonly sample: string
}

export function PercentilePanel({ insights }: { insights: Insights }) {
  return (
    <Panel title="Time, size and cost">
      <p className="mb-2 text-muted">
        The time to a review counts from the arrival of the push, or of the request, that it
        answers; the time to a merge from the creation of the pull request.
      </p>
      <DataTable
        caption="Time, size and cost"
        rows={listPercentiles(insights)}
        rowKey={({ name }) => name}
        columns={[
          { name: 'Measure', render: ({ name }) => <span className="wrap-normal">{name}</span> },
          { name: 'Of', render: ({ sample: of }) => <span className="wrap-normal">{of}</span> },
          { name: 'Median', isNumber: true, render: ({ median }) => median },
          { name: 'Nine of ten within', isNumber: true, render: ({ p90 }) => p90 },
        ]}
      />
    </Panel>
  )
}

function listPercentiles({ outcome, reviewing }: Insights): PercentileRow[] {
  const { merge_metrics: merges, pr_size: sizes } = outcome
  const { time_to_review: times, cost, coverage } = reviewing
  const hours = (value: number) => (merges.count === 0 ? '–' : formatDuration(value * 3600))
  const lines = (value: number) =>
    coverage.pull_requests === 0 ? '–' : formatQuantity(value, 'line')
  return [
    {
      ...{ name: 'Time to review', sample: formatQuantity(times.count, 'latest review') },
      ...{ median: formatDuration(times.median_seconds), p90: formatDuration(times.p90_seconds) },
    },
    {
      ...{ name: 'Time to merge', sample: `${formatCount(merges.count)} merged` },
      ...{ median: hours(merges.median_hours), p90: hours(merges.p90_hours) },
    },
    {
      ...{ name: 'Size', sample: formatQuantity(coverage.pull_requests, 'pull request') },
      ...{ median: lines(sizes.median), p90: lines(sizes.p90) },
    },
    {
      ...{
        name: 'Cost of a review',
        sample: `${formatCount(cost.per_review.count)} with known prices`,
      },
      ...{
        median: formatDollars(cost.per_review.median_usd),
        p90: formatDollars(cost.per_review.p90_usd),
      },
    },
  ]
}
