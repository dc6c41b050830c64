// Virtualized list of reviews: renders only the rows near the viewport.
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState } from 'react'
import type { Review } from '../../api/shared-queries.ts'
import { ReviewRow } from './review-row.tsx'

/** Height of a row before it is measured. Lines wrap on narrow screens. */
const estimatedRowHeightsPx = { wide: 84, narrow: 150 } as const
const minWideWidthPx = 640

export function VirtualReviewList({ rows }: { rows: readonly Review[] }) {
  const list = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), [])
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    getItemKey: (index) => rowKey(rows[index]),
    estimateSize: () =>
      innerWidth < minWideWidthPx ? estimatedRowHeightsPx.narrow : estimatedRowHeightsPx.wide,
    // Keeps enough rows for moving through the list with the Tab key.
    overscan: 8,
    scrollMargin: top,
    useFlushSync: false,
  })
  return (
    <ul
      ref={list}
      aria-label="Reviews"
      className="relative rounded-lg border border-line bg-surface"
      style={{ height: virtualizer.getTotalSize() + 2 }}
    >
      {virtualizer.getVirtualItems().map(({ key, index, start }) => (
        <li
          key={key}
          ref={virtualizer.measureElement}
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
