// The course over the days: reviews by their verdicts, and what they cost.
import type { ReactNode } from 'react'
import { type Column, FigureTable } from '../../components/figure-table.tsx'
import { Panel } from '../../components/page.tsx'
import { DayChart, type Series } from './day-chart.tsx'
import { formatCount, formatDay, formatDollars, formatNumber } from './format.ts'
import type { Day, Reviewing } from './queries.ts'

const verdicts: readonly Series[] = [
  {
    name: 'Approve',
    fill: 'fill-mark-good',
    ground: 'bg-mark-good',
    read: (day) => day.verdicts.APPROVE,
  },
  {
    ...{ name: 'Needs discussion', fill: 'fill-mark-warn', ground: 'bg-mark-warn' },
    read: (day) => day.verdicts.NEEDS_DISCUSSION,
  },
  {
    ...{ name: 'Request changes', fill: 'fill-mark-bad', ground: 'bg-mark-bad' },
    read: (day) => day.verdicts.REQUEST_CHANGES,
  },
  { name: 'Failed', fill: 'fill-muted', ground: 'bg-muted', read: (day) => day.failed },
]

const cost: readonly Series[] = [
  { name: 'Cost', fill: 'fill-accent', ground: 'bg-accent', read: (day) => day.cost_usd },
]

/** Posted and failed reviews by day. */
export function ReviewsByDay({ reviewing: { days, reviews } }: { reviewing: Reviewing }) {
  const others = [
    reviews.failed > 0 && `${formatCount(reviews.failed)} failed`,
    reviews.skipped > 0 &&
      `${formatCount(reviews.skipped)} skipped because the pull request was closed`,
  ].filter(Boolean)
  return (
    <Panel title="Reviews by day">
      <Words>
        {formatNumber(reviews.posted, 'review was', 'reviews were')} posted
        {others.length > 0 && `; besides, ${others.join(' and ')}`}. A pull request is reviewed
        again after each push.
      </Words>
      <Legend series={verdicts} />
      <DayChart
        label={describeCourse('Reviews', days)}
        days={days}
        series={verdicts}
        format={formatCount}
        isWhole
      />
      <DayTable caption="Reviews by day" days={days} series={verdicts} format={formatCount} />
    </Panel>
  )
}

/** What the reviews that ended cost, by day. */
export function CostByDay({ reviewing: { days, cost: spent } }: { reviewing: Reviewing }) {
  return (
    <Panel title="Cost by day">
      <Words>
        {formatDollars(spent.total_usd)} in all, at the prices that are known
        {spent.without_review_usd > 0 &&
          `; ${formatDollars(spent.without_review_usd)} of it for reviews that failed or were skipped`}
        . It counts on the day that the review ended.
      </Words>
      <Legend series={cost} />
      <DayChart
        label={describeCourse('Cost', days)}
        days={days}
        series={cost}
        format={formatDollars}
      />
      <DayTable caption="Cost by day" days={days} series={cost} format={formatDollars} />
    </Panel>
  )
}

function describeCourse(what: string, days: readonly Day[]): string {
  return `${what} by day, from ${formatDay(days[0]?.date ?? '')} to ${formatDay(days.at(-1)?.date ?? '')}. The numbers are in the table below.`
}

/** Two lines high where there is room, so that charts beside each other begin at one height. */
function Words({ children }: { children: ReactNode }) {
  return <p className="mb-2 text-muted lg:min-h-10">{children}</p>
}

function Legend({ series }: { series: readonly Series[] }) {
  return (
    <ul aria-label="Colours" className="mb-1 flex flex-wrap gap-x-3 text-xs">
      {series.map(({ name, ground }) => (
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
  readonly days: readonly Day[]
  readonly series: readonly Series[]
  readonly format: (value: number) => string
}

function DayTable({ caption, days, series, format }: DayTableProps) {
  const columns: Column<Day>[] = [
    {
      name: 'Day',
      draw: ({ date }) => (
        <time dateTime={date} className="whitespace-nowrap">
          {formatDay(date)}
        </time>
      ),
    },
    ...series.map(({ name, read }) => ({
      name,
      isNumber: true,
      draw: (day: Day) => format(read(day)),
    })),
  ]
  return (
    <details className="mt-2">
      <summary className="text-accent">Numbers</summary>
      <p className="my-1 text-muted text-xs">
        Days in UTC; the first and the last are in the period in part.
      </p>
      <div className="max-h-72 overflow-y-auto">
        <FigureTable caption={caption} columns={columns} rows={days} keyOf={({ date }) => date} />
      </div>
    </details>
  )
}
