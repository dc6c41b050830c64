// The course over the days: reviews by their verdicts, and what they cost.
import type { ReactNode } from 'react'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/page.tsx'
import { DayChart, type Series } from './day-chart.tsx'
import { formatCount, formatDay, formatDollars, formatQuantity } from './format-numbers.ts'
import type { DayMetrics, ReviewMetricsResponse } from './insights-queries.ts'

const verdictSeries: readonly Series[] = [
  {
    name: 'Approve',
    fill: 'fill-mark-good',
    legendClass: 'bg-mark-good',
    getValue: (day) => day.verdicts.APPROVE,
  },
  {
    ...{ name: 'Needs discussion', fill: 'fill-mark-warn', legendClass: 'bg-mark-warn' },
    getValue: (day) => day.verdicts.NEEDS_DISCUSSION,
  },
  {
    ...{ name: 'Request changes', fill: 'fill-mark-bad', legendClass: 'bg-mark-bad' },
    getValue: (day) => day.verdicts.REQUEST_CHANGES,
  },
  { name: 'Failed', fill: 'fill-muted', legendClass: 'bg-muted', getValue: (day) => day.failed },
]

const costSeries: readonly Series[] = [
  { name: 'Cost', fill: 'fill-accent', legendClass: 'bg-accent', getValue: (day) => day.cost_usd },
]

/** Posted and failed reviews by day. */
export function ReviewsByDay({
  reviewing: { days, reviews },
}: {
  reviewing: ReviewMetricsResponse
}) {
  const others = [
    reviews.failed > 0 && `${formatCount(reviews.failed)} failed`,
    reviews.skipped > 0 &&
      `${formatCount(reviews.skipped)} skipped because the pull request was closed`,
  ].filter(Boolean)
  return (
    <Panel title="Reviews by day">
      <PanelText>
        {formatQuantity(reviews.posted, 'review was', 'reviews were')} posted
        {others.length > 0 && `; besides, ${others.join(' and ')}`}. A pull request is reviewed
        again after each push.
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

/** What the reviews that ended cost, by day. */
export function CostByDay({
  reviewing: { days, cost: spent },
}: {
  reviewing: ReviewMetricsResponse
}) {
  return (
    <Panel title="Cost by day">
      <PanelText>
        {formatDollars(spent.total_usd)} in all, at the prices that are known
        {spent.without_review_usd > 0 &&
          `; ${formatDollars(spent.without_review_usd)} of it for reviews that failed or were skipped`}
        . It counts on the day that the review ended.
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

function describeChart(what: string, days: readonly DayMetrics[]): string {
  return `${what} by day, from ${formatDay(days[0]?.date ?? '')} to ${formatDay(days.at(-1)?.date ?? '')}. The numbers are in the table below.`
}

/** Two lines high where there is room, so that charts beside each other begin at one height. */
function PanelText({ children }: { children: ReactNode }) {
  return <p className="mb-2 text-muted lg:min-h-10">{children}</p>
}

function SeriesLegend({ series }: { series: readonly Series[] }) {
  return (
    <ul aria-label="Colours" className="mb-1 flex flex-wrap gap-x-3 text-xs">
      {series.map(({ name, legendClass: ground }) => (
        <li key={name} className="flex items-center gap-1.5">
          <span aria-hidden="true" className={`size-2.5 rounded-xs ${ground}`} />
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
    ...series.map(({ name, getValue: read }) => ({
      name,
      isNumber: true,
      render: (day: DayMetrics) => format(read(day)),
    })),
  ]
  return (
    <details className="mt-2">
      <summary className="text-accent">Numbers</summary>
      <p className="my-1 text-muted text-xs">
        Days in UTC; the first and the last are in the period in part.
      </p>
      <div className="max-h-72 overflow-y-auto">
        <DataTable caption={caption} columns={columns} rows={days} rowKey={({ date }) => date} />
      </div>
    </details>
  )
}
