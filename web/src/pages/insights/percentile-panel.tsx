// Panel with the median and p90 of time, size and cost.
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

export function PercentilePanel({ insights, hasCost }: { insights: Insights; hasCost: boolean }) {
  const title = hasCost ? 'Time, size and cost' : 'Time and size'
  return (
    <Panel title={title}>
      <p className="mb-2 text-muted">
        Time to review starts when the push or the request arrives. Time to merge starts when the
        pull request is created.
      </p>
      <DataTable
        caption={title}
        rows={listPercentiles(insights, hasCost)}
        rowKey={({ name }) => name}
        columns={[
          { name: 'Metric', render: ({ name }) => <span className="wrap-normal">{name}</span> },
          { name: 'Sample', render: ({ sample }) => <span className="wrap-normal">{sample}</span> },
          { name: 'Median', isNumber: true, render: ({ median }) => median },
          { name: 'p90', isNumber: true, render: ({ p90 }) => p90 },
        ]}
      />
    </Panel>
  )
}

function listPercentiles({ outcome, reviewing }: Insights, hasCost: boolean): PercentileRow[] {
  const { merge_metrics: merges, pr_size: sizes } = outcome
  const { time_to_review: times, cost, coverage } = reviewing
  const formatHours = (value: number) => (merges.count === 0 ? '–' : formatDuration(value * 3600))
  const formatLines = (value: number) =>
    coverage.pull_requests === 0 ? '–' : formatQuantity(value, 'line')
  return [
    {
      name: 'Time to review',
      sample: formatQuantity(times.count, 'latest review'),
      median: formatDuration(times.median_seconds),
      p90: formatDuration(times.p90_seconds),
    },
    {
      name: 'Time to merge',
      sample: `${formatCount(merges.count)} merged`,
      median: formatHours(merges.median_hours),
      p90: formatHours(merges.p90_hours),
    },
    {
      name: 'Size',
      sample: formatQuantity(coverage.pull_requests, 'pull request'),
      median: formatLines(sizes.median),
      p90: formatLines(sizes.p90),
    },
    ...(hasCost ? [describeCost(cost.per_review)] : []),
  ]
}

function describeCost({
  count,
  median_usd: median,
  p90_usd: p90,
}: Insights['reviewing']['cost']['per_review']): PercentileRow {
  return {
    name: 'Cost per review',
    sample: `${formatCount(count)} with known cost`,
    median: formatDollars(median),
    p90: formatDollars(p90),
  }
}
