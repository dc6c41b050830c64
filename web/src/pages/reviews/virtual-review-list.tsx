// Virtualized list of reviews: renders only the rows near the viewport.
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState } from 'react'
import type { InboxEntry } from '../../api/reviews-query.ts'
import { useKeys } from '../../components/use-keys.ts'
import { ReviewRow } from './review-row.tsx'

/** Height of a row before it is measured. Lines wrap on narrow screens. */
const estimatedRowHeightsPx = { wide: 62, narrow: 110 } as const
const minWideWidthPx = 640

export function VirtualReviewList({ rows }: { rows: readonly InboxEntry[] }) {
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
  const focusRow = (distance: 1 | -1) => {
    const focused = document.activeElement?.closest<HTMLElement>('[data-index]')
    const current = focused ? Number(focused.dataset.index) : -1
    const next = Math.min(rows.length - 1, Math.max(0, current + distance))
    virtualizer.scrollToIndex(next)
    // A row that was outside of the viewport is rendered in the next frame.
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>(`[data-index="${next}"] a`)?.focus(),
    )
  }
  useKeys({ j: () => focusRow(1), k: () => focusRow(-1) })
  return (
    <ul
      ref={list}
      aria-label="Reviews"
      className="relative overflow-hidden rounded-lg border border-line bg-surface"
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
          <ReviewRow review={rows[index] as InboxEntry} />
        </li>
      ))}
    </ul>
  )
}

function rowKey(review: InboxEntry | undefined): string {
  return `${review?.repo_name}#${review?.pr_number}`
}
