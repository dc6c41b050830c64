// Panels with reviews and cost by day.
import type { ReactNode } from 'react'
import { type Column, DataTable } from '../../components/data-table.tsx'
import {
  formatCount,
  formatDay,
  formatDollars,
  formatQuantity,
} from '../../components/format-numbers.ts'
import { Panel } from '../../components/page.tsx'
import { DayChart, type Series } from './day-chart.tsx'
import type { DayMetrics, ReviewMetricsResponse } from './insights-queries.ts'

const verdictSeries: readonly Series[] = [
  {
    name: 'Passed',
    fillClass: 'fill-mark-good',
    legendClass: 'bg-mark-good',
    getValue: (day) => day.verdicts.APPROVE,
  },
  {
    name: 'Needs a person',
    fillClass: 'fill-mark-warn',
    legendClass: 'bg-mark-warn',
    getValue: (day) => day.verdicts.NEEDS_DISCUSSION,
  },
  {
    name: 'Changes requested',
    fillClass: 'fill-mark-bad',
    legendClass: 'bg-mark-bad',
    getValue: (day) => day.verdicts.REQUEST_CHANGES,
  },
  {
    name: 'Failed',
    fillClass: 'fill-muted',
    legendClass: 'bg-muted',
    getValue: (day) => day.failed,
  },
]

const costSeries: readonly Series[] = [
  {
    name: 'Cost',
    fillClass: 'fill-accent',
    legendClass: 'bg-accent',
    getValue: (day) => day.cost_usd,
  },
]

export function ReviewsByDay({
  reviewing: { days, reviews },
}: {
  reviewing: ReviewMetricsResponse
}) {
  const others = [
    reviews.failed > 0 && `${formatCount(reviews.failed)} failed`,
    reviews.skipped > 0 && `${formatCount(reviews.skipped)} skipped`,
  ].filter(Boolean)
  return (
    <Panel title="Reviews by day">
      <PanelText>
        {formatQuantity(reviews.posted, 'verdict was', 'verdicts were')} posted
        {others.length > 0 && `; ${others.join(' and ')}`}. Each push and each dismissal leads to a
        verdict.
      </PanelText>
      <SeriesLegend series={verdictSeries} />
      <DayChart
        label={describeChart('Reviews', days)}
        days={days}
        series={verdictSeries}
        format={formatCount}
        hasIntegerValues
      />
      <DayTable caption="Reviews by day" days={days} series={verdictSeries} format={formatCount} />
    </Panel>
  )
}

export function CostByDay({ reviewing: { days, cost } }: { reviewing: ReviewMetricsResponse }) {
  return (
    <Panel title="Cost by day">
      <PanelText>
        {formatDollars(cost.total_usd)} in total, at known prices
        {cost.without_review_usd > 0 &&
          `, including ${formatDollars(cost.without_review_usd)} for failed or skipped reviews`}
        . Cost is counted on the day a review ends.
      </PanelText>
      <SeriesLegend series={costSeries} />
      <DayChart
        label={describeChart('Cost', days)}
        days={days}
        series={costSeries}
        format={formatDollars}
      />
      <DayTable caption="Cost by day" days={days} series={costSeries} format={formatDollars} />
    </Panel>
  )
}

function describeChart(title: string, days: readonly DayMetrics[]): string {
  const first = formatDay(days[0]?.date ?? '')
  const last = formatDay(days.at(-1)?.date ?? '')
  return `${title} by day, from ${first} to ${last}. The table below has the numbers.`
}

/** At least two lines high on wide screens, so that adjacent charts align. */
function PanelText({ children }: { children: ReactNode }) {
  return <p className="mb-2 text-muted lg:min-h-10">{children}</p>
}

function SeriesLegend({ series }: { series: readonly Series[] }) {
  return (
    <ul aria-label="Legend" className="mb-1 flex flex-wrap gap-x-3 text-xs">
      {series.map(({ name, legendClass }) => (
        <li key={name} className="flex items-center gap-1.5">
          <span aria-hidden="true" className={`size-2.5 rounded-xs ${legendClass}`} />
          {name}
        </li>
      ))}
    </ul>
  )
}

interface DayTableProps {
  readonly caption: string
  readonly days: readonly DayMetrics[]
  readonly series: readonly Series[]
  readonly format: (value: number) => string
}

function DayTable({ caption, days, series, format }: DayTableProps) {
  const columns: Column<DayMetrics>[] = [
    {
      name: 'Day',
      render: ({ date }) => (
        <time dateTime={date} className="whitespace-nowrap">
          {formatDay(date)}
        </time>
      ),
    },
    ...series.map(({ name, getValue }) => ({
      name,
      isNumber: true,
      render: (day: DayMetrics) => format(getValue(day)),
    })),
  ]
  return (
    <details className="mt-2">
      <summary className="text-accent">Numbers</summary>
      <p className="my-1 text-muted text-xs">
        Days are in UTC. The first and last days are partial.
      </p>
      <div className="max-h-72 overflow-y-auto">
        <DataTable caption={caption} columns={columns} rows={days} rowKey={({ date }) => date} />
      </div>
    </details>
  )
}
