// Tabs of the inbox with their counts, as links.
import {
  CheckCircleIcon,
  GitMergeIcon,
  type Icon,
  InboxIcon,
  ListUnorderedIcon,
  SyncIcon,
} from '@primer/octicons-react'
import { Link } from '@tanstack/react-router'
import type { InboxCounts } from '../../api/reviews-query.ts'
import { useChildInView } from '../../components/use-child-in-view.ts'
import { type ReviewsSearch, type ReviewTab, reviewTabs } from './reviews-search.ts'

const tabLooks: Readonly<Record<ReviewTab, readonly [label: string, icon: Icon]>> = {
  attention: ['Needs attention', InboxIcon],
  in_progress: ['In progress', SyncIcon],
  passed: ['Passed', CheckCircleIcon],
  merged: ['Merged', GitMergeIcon],
  all: ['All', ListUnorderedIcon],
}

const tabClass =
  '-mb-px flex items-center gap-1.5 whitespace-nowrap border-transparent border-b-2 px-2.5 py-2 ' +
  'font-medium text-muted -outline-offset-2 hover:text-ink aria-[current]:border-accent ' +
  'aria-[current]:text-ink'

const countClass = 'min-w-6 rounded-full bg-raised px-1.5 text-center text-xs/5 tabular-nums'

export function ReviewTabs({
  filter,
  counts,
}: {
  filter: ReviewsSearch
  /** Undefined while they are loaded. */
  counts: InboxCounts['tabs'] | undefined
}) {
  const selected = filter.tab ?? reviewTabs[0]
  const list = useChildInView<HTMLElement>(reviewTabs.indexOf(selected))
  return (
    <nav
      ref={list}
      aria-label="Reviews by state"
      className="scroll-edges mb-3 flex overflow-y-hidden border-line border-b"
    >
      {reviewTabs.map((tab) => {
        const [label, TabIcon] = tabLooks[tab]
        return (
          <Link
            key={tab}
            to="/reviews"
            search={{ ...filter, tab }}
            aria-current={tab === selected ? 'page' : undefined}
            className={tabClass}
            resetScroll={false}
          >
            <span className="hidden sm:inline-flex">
              <TabIcon />
            </span>
            {label} <span className={countClass}>{counts?.[tab] ?? '\u00a0'}</span>
          </Link>
        )
      })}
    </nav>
  )
}
