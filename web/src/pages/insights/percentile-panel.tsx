// Panel with percentiles of time, size and cost.
import { DataTable } from '../../components/data-table.tsx'
import {
  formatCount,
  formatDollars,
  formatDuration,
  formatQuantity,
  hasP90,
  minP90Sample,
} from '../../components/format-numbers.ts'
import { Panel } from '../../components/page.tsx'
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
        pull request is created. Fewer than {minP90Sample} values only have a median.
      </p>
      <DataTable
        caption={title}
        rows={listPercentiles(insights, hasCost)}
        rowKey={({ name }) => name}
        columns={[
          { name: 'Metric', render: ({ name }) => <span className="wrap-normal">{name}</span> },
          { name: 'Sample', render: ({ sample }) => <span className="wrap-normal">{sample}</span> },
          { name: 'Median', isNumber: true, render: ({ median }) => median },
          { name: '90% within', isNumber: true, render: ({ p90 }) => p90 },
        ]}
      />
    </Panel>
  )
}

function listPercentiles({ outcome, reviewing }: Insights, hasCost: boolean): PercentileRow[] {
  const { merge_metrics: merges, pr_size: sizes } = outcome
  const { time_to_review: times, cost, coverage } = reviewing
  const measured: readonly Measured[] = [
    {
      name: 'Time to review',
      count: times.count,
      sample: formatQuantity(times.count, 'latest review'),
      values: [times.median_seconds, times.p90_seconds],
      format: formatDuration,
    },
    {
      name: 'Time to merge',
      count: merges.count,
      sample: formatQuantity(merges.count, 'merged pull request'),
      values: [merges.median_hours * 3600, merges.p90_hours * 3600],
      format: formatDuration,
    },
    {
      name: 'Size',
      count: coverage.pull_requests,
      sample: formatQuantity(coverage.pull_requests, 'pull request'),
      values: [sizes.median, sizes.p90],
      format: (lines) => formatQuantity(lines ?? 0, 'line'),
    },
  ]
  const { count, median_usd: median, p90_usd: p90 } = cost.per_review
  const price: Measured = {
    ...{ name: 'Cost per review', count, sample: `${formatCount(count)} with known cost` },
    ...{ values: [median, p90], format: formatDollars },
  }
  return [...measured, ...(hasCost ? [price] : [])]
    .filter(({ count }) => count > 0)
    .map(({ name, count, sample, values: [median, p90], format }) => {
      return { name, sample, median: format(median), p90: hasP90(count) ? format(p90) : '–' }
    })
}

interface Measured {
  readonly name: string
  readonly count: number
  readonly sample: string
  readonly values: readonly [median: number | null, p90: number | null]
  readonly format: (value: number | null) => string
}
