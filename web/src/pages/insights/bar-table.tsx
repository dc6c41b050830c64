// Parts of a whole: a table with a bar in each row.
import { scaleLinear } from 'd3-scale'
import type { ReactNode } from 'react'
import { DataTable } from '../../components/data-table.tsx'
import { formatCount, formatShare } from './format-numbers.ts'

export interface BarRow {
  readonly name: string
  readonly count: number
  /** Of its bar. */
  readonly fill: string
  /** Instead of the name. */
  readonly label?: ReactNode
}

interface BarTableProps {
  readonly caption: string
  /** Of the first and of the last column: what is told apart, and what is counted. */
  readonly nameHeader: string
  readonly countHeader: string
  readonly rows: readonly BarRow[]
}

export function BarTable({
  caption,
  nameHeader: what,
  countHeader: counted,
  rows: parts,
}: BarTableProps) {
  const whole = parts.reduce((sum, { count }) => sum + count, 0)
  return (
    <DataTable
      caption={caption}
      rows={parts}
      rowKey={({ name }) => name}
      columns={[
        {
          name: what,
          render: ({ name, label: sign }) => <span className="wrap-normal">{sign ?? name}</span>,
        },
        {
          name: 'Share',
          render: ({ count, fill }) => <ShareBar part={count} whole={whole} fill={fill} />,
        },
        { name: counted, isNumber: true, render: ({ count }) => formatCount(count) },
      ]}
    />
  )
}

/** A bar, and the share in words. */
export function ShareBar({ part, whole, fill }: { part: number; whole: number; fill: string }) {
  const width = scaleLinear([0, Math.max(whole, 1e-9)], [0, 100])(part)
  return (
    <span className="flex items-center gap-2">
      <svg
        aria-hidden="true"
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        className="h-2 w-16 shrink-0 sm:w-44"
      >
        <rect width={100} height={8} className="fill-raised" />
        <rect width={width} height={8} className={fill} />
      </svg>
      <span className="whitespace-nowrap text-muted tabular-nums">{formatShare(part, whole)}</span>
    </span>
  )
}
