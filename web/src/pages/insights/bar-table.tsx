// Table with a bar in each row that shows its share of the total.
import { scaleLinear } from 'd3-scale'
import type { ReactNode } from 'react'
import { DataTable } from '../../components/data-table.tsx'
import { formatCount, formatShare } from '../../components/format-numbers.ts'

export interface BarRow {
  readonly name: string
  readonly count: number
  /** Class with the color of the bar. */
  readonly fillClass: string
  /** Shown instead of the name. */
  readonly label?: ReactNode
}

interface BarTableProps {
  readonly caption: string
  readonly nameHeader: string
  readonly countHeader: string
  readonly rows: readonly BarRow[]
}

/** Rows without any are left out. */
export function BarTable({ caption, nameHeader, countHeader, rows }: BarTableProps) {
  const total = rows.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return null
  return (
    <DataTable
      caption={caption}
      rows={rows.filter(({ count }) => count > 0)}
      rowKey={({ name }) => name}
      columns={[
        {
          name: nameHeader,
          render: ({ name, label }) => <span className="wrap-normal">{label ?? name}</span>,
        },
        {
          name: 'Share',
          render: ({ count, fillClass }) => (
            <ShareBar part={count} total={total} fillClass={fillClass} />
          ),
        },
        { name: countHeader, isNumber: true, render: ({ count }) => formatCount(count) },
      ]}
    />
  )
}

/** A bar with its share as text. */
export function ShareBar({
  part,
  total,
  fillClass,
}: {
  part: number
  total: number
  fillClass: string
}) {
  const width = scaleLinear([0, Math.max(total, 1e-9)], [0, 100])(part)
  return (
    <span className="flex items-center gap-2">
      <svg
        aria-hidden="true"
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        className="h-2 w-16 shrink-0 sm:w-44"
      >
        <rect width={100} height={8} className="fill-raised" />
        <rect width={width} height={8} className={fillClass} />
      </svg>
      <span className="whitespace-nowrap text-muted tabular-nums">{formatShare(part, total)}</span>
    </span>
  )
}
