// Page with the list of reviews.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import {
  type LoadedReviews,
  loadOlderReviews,
  type ReviewsFilter,
  reviewCountsQuery,
  reviewsQuery,
} from '../../api/reviews-query.ts'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { EmptyState, ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { useNearViewport } from '../../components/use-near-viewport.ts'
import { ReviewTabs } from './review-tabs.tsx'
import { ReviewsFilters } from './reviews-filters.tsx'
import { type ReviewTab, reviewTabs } from './reviews-search.ts'
import { VirtualReviewList } from './virtual-review-list.tsx'

/** Most visits have reviews to show. */
const GettingStarted = lazy(async () => ({
  default: (await import('./getting-started.tsx')).GettingStarted,
}))

export function ReviewsPage() {
  const filter = useSearch({ from: '/shell/reviews' })
  const query = { ...filter, tab: filter.tab ?? reviewTabs[0] }
  const { data: counts } = useQuery({
    ...reviewCountsQuery(useApi(), query),
    placeholderData: keepPreviousData,
  })
  const { tab, ...filters } = query
  const isFiltered = Object.keys(filters).length > 0
  if (counts?.tabs.all === 0 && !isFiltered)
    return (
      <Page title="Reviews">
        <Suspense fallback={<Skeleton className="h-44 w-full" />}>
          <GettingStarted />
        </Suspense>
      </Page>
    )
  return (
    <Page title="Reviews">
      <ReviewTabs filter={filter} counts={counts?.tabs} />
      <ReviewsFilters filter={filter} counts={counts} />
      <ReviewsList query={query} empty={<NoReviews tab={tab} isFiltered={isFiltered} />} />
    </Page>
  )
}

function ReviewsList({ query: filter, empty }: { query: ReviewsFilter; empty: ReactNode }) {
  const query = reviewsQuery(useApi(), filter)
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...query,
    placeholderData: keepPreviousData,
  })
  if (error !== null && data === undefined)
    return <ErrorAlert error={error} onRetry={() => refetch()} />
  if (data === undefined) return <ReviewListSkeleton />
  if (data.rows.length === 0) return empty
  return (
    <>
      <VirtualReviewList rows={data.rows} />
      {data.hasMore && !isPlaceholderData && <OlderReviews filter={filter} loaded={data} />}
    </>
  )
}

/** Loads older reviews near the end of the list. The button is for slow or failed requests. */
function OlderReviews({
  filter,
  loaded: { rows },
}: {
  filter: ReviewsFilter
  loaded: LoadedReviews
}) {
  const api = useApi()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const last = rows.at(-1)
      if (last) await loadOlderReviews(api, client, filter, last)
    },
  })
  const end = useNearViewport<HTMLDivElement>(rows.length, () => {
    if (!isPending && error === null) mutate()
  })
  return (
    <div ref={end} className="mt-3 text-center">
      <p role="status" className="sr-only">
        {rows.length} reviews shown
      </p>
      {error !== null && <ErrorAlert error={error} />}
      <Button disabled={isPending} onClick={() => mutate()}>
        Show more
      </Button>
    </div>
  )
}

/** Has the height of the rows, so that the layout does not shift. */
function ReviewListSkeleton() {
  return (
    <div role="status" className="rounded-lg border border-line bg-surface">
      <span className="sr-only">Loading reviews …</span>
      {Array.from({ length: 8 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical
        <div key={index} className="border-line border-b px-3 py-2.5 last:border-b-0">
          <Skeleton className="h-4.5 w-2/3" />
          <Skeleton className="mt-1.5 h-4 w-1/2" />
        </div>
      ))}
    </div>
  )
}

const emptyTabs: Readonly<Record<ReviewTab, readonly [title: string, text: string]>> = {
  attention: ['Nothing needs attention', 'No open pull request is waiting for a person.'],
  in_progress: [
    'Nothing is in progress',
    'Pull requests appear here while they are being reviewed.',
  ],
  passed: ['Nothing has passed', 'Open pull requests whose review passed are here.'],
  merged: ['Nothing was merged', 'Merged pull requests are here.'],
  all: ['No reviews', 'Reviewed pull requests are here.'],
}

function NoReviews({ tab, isFiltered }: { tab: ReviewTab; isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState title="No reviews match your filters">
        <Link to="/reviews" className="text-accent underline">
          Clear filters
        </Link>
        <MissingReview />
      </EmptyState>
    )
  const [title, text] = emptyTabs[tab]
  return (
    <EmptyState title={title}>
      {text}
      {tab === 'all' && <MissingReview />}
    </EmptyState>
  )
}

/** A delivery that led to no review says why, and the repository why none arrived. */
function MissingReview() {
  return (
    <p className="mt-2">
      A pull request is missing?{' '}
      <Link to="/deliveries" className="text-accent underline">
        Deliveries
      </Link>{' '}
      lists what arrived from the code host, and why it led to no review.{' '}
      <Link to="/repositories" className="text-accent underline">
        Repositories
      </Link>{' '}
      shows which are connected, and whether that works.
    </p>
  )
}
