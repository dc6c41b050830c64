// The outcome figures by part of the period, as a table: the alternative of the small charts.
import { type Column, DataTable } from '../../components/data-table.tsx'
import {
  formatCount,
  formatDay,
  formatDuration,
  formatShare,
} from '../../components/format-numbers.ts'
import type { OutcomesResponse } from './insights-queries.ts'

type Part = OutcomesResponse['parts'][number]

const columns: readonly Column<Part>[] = [
  {
    name: 'From',
    render: ({ start }) => (
      <time dateTime={start} className="whitespace-nowrap">
        {formatDay(start.slice(0, 10))}
      </time>
    ),
  },
  {
    name: 'Fixed before merge',
    isNumber: true,
    render: ({ fixed, findings }) =>
      `${formatShare(fixed, findings)} (${formatCount(fixed)} of ${formatCount(findings)})`,
  },
  { name: 'Dismissed', isNumber: true, render: ({ dismissals }) => formatCount(dismissals) },
  {
    name: 'Merged with open critical findings',
    isNumber: true,
    render: (part) => formatCount(part.with_open_critical),
  },
  {
    name: 'Median time to first review',
    isNumber: true,
    render: (part) => formatDuration(part.first_review_median_seconds),
  },
]

export function OutcomeCourse({ parts }: { parts: readonly Part[] }) {
  return (
    <details className="mb-4">
      <summary className="text-accent">Outcomes over time</summary>
      <div className="mt-2 rounded-lg border border-line bg-surface p-3">
        <DataTable
          caption="Outcomes over time"
          columns={columns}
          rows={parts}
          rowKey={({ start }) => start}
        />
      </div>
    </details>
  )
}
