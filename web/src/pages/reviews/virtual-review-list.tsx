// The rows of the reviews list that are in sight, and some around them: there may be thousands.
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState } from 'react'
import type { Review } from '../../api/shared-queries.ts'
import { ReviewRow } from './review-row.tsx'

/** How high a row is before it was measured: on a screen, and on a phone, where its lines are broken. */
const estimatedRowHeights = { wide: 84, narrow: 150 } as const
const minWideWidthPx = 640

export function VirtualReviewList({ rows }: { rows: readonly Review[] }) {
  const list = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), [])
  const shown = useWindowVirtualizer({
    count: rows.length,
    getItemKey: (index) => rowKey(rows[index]),
    estimateSize: () =>
      innerWidth < minWideWidthPx ? estimatedRowHeights.narrow : estimatedRowHeights.wide,
    // So far one gets with the Tab key before the next ones are drawn.
    overscan: 8,
    scrollMargin: top,
    useFlushSync: false,
  })
  return (
    <ul
      ref={list}
      aria-label="Reviews"
      className="relative rounded-lg border border-line bg-surface"
      style={{ height: shown.getTotalSize() + 2 }}
    >
      {shown.getVirtualItems().map(({ key, index, start }) => (
        <li
          key={key}
          ref={shown.measureElement}
          data-index={index}
          aria-setsize={rows.length}
          aria-posinset={index + 1}
          className="absolute inset-x-0 border-line not-first:border-t"
          style={{ transform: `translateY(${start - top}px)` }}
        >
          <ReviewRow review={rows[index] as Review} />
        </li>
      ))}
    </ul>
  )
}

function rowKey(review: Review | undefined): string {
  return `${review?.repo_name}#${review?.pr_number}`
}
