// The reviews list.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import {
  type LoadedReviews,
  loadOlder,
  type ReviewsFilter,
  reviewsQuery,
} from '../../api/reviews-list.ts'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, Failure, Skeleton } from '../../components/states.tsx'
import { useNear } from '../../components/use-near.ts'
import { NextSteps } from './next-steps.tsx'
import { ReviewRows } from './review-rows.tsx'
import { ReviewsFilters } from './reviews-filters.tsx'
import type { ReviewsSearch } from './reviews-search.ts'

export function ReviewsPage() {
  const filter = useSearch({ from: '/shell/reviews' })
  return (
    <Page title="Reviews" aside={<DeliveriesLink />}>
      <ReviewsFilters filter={filter} />
      <ReviewsList filter={filter} />
    </Page>
  )
}

function DeliveriesLink() {
  return (
    <Link to="/deliveries" className="text-accent underline">
      All deliveries
    </Link>
  )
}

function ReviewsList({ filter }: { filter: ReviewsSearch }) {
  const query = reviewsQuery(useApi(), filter)
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...query,
    placeholderData: keepPreviousData,
  })
  if (error !== null && data === undefined)
    return <Failure error={error} onRetry={() => refetch()} />
  if (data === undefined) return <WaitingList />
  if (data.rows.length === 0) return <NoReviews isFiltered={Object.keys(filter).length > 0} />
  return (
    <>
      <ReviewRows rows={data.rows} />
      {data.hasMore && !isPlaceholderData && <Older filter={filter} loaded={data} />}
    </>
  )
}

/** Older ones come by themselves when the end is near; who gets there before them, or after a fault, has a button. */
function Older({ filter, loaded: { rows } }: { filter: ReviewsFilter; loaded: LoadedReviews }) {
  const api = useApi()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const last = rows.at(-1)
      if (last) await loadOlder(api, client, filter, last)
    },
  })
  const end = useNear<HTMLDivElement>(rows.length, () => {
    if (!isPending && error === null) mutate()
  })
  return (
    <div ref={end} className="mt-3 text-center">
      <p role="status" className="sr-only">
        {rows.length} reviews are shown.
      </p>
      {error !== null && <Failure error={error} />}
      <Button disabled={isPending} onClick={() => mutate()}>
        Show more
      </Button>
    </div>
  )
}

/** As high as the entries are going to be. */
function WaitingList() {
  return (
    <div role="status" className="rounded-lg border border-line bg-surface">
      <span className="sr-only">Loading the reviews …</span>
      {Array.from({ length: 8 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <div key={index} className="border-line border-b px-3 py-2.5 last:border-b-0">
          <Skeleton className="h-4.5 w-2/3" />
          <Skeleton className="mt-1.5 h-4.5 w-1/2" />
          <Skeleton className="mt-1.5 h-4.5 w-3/4" />
        </div>
      ))}
    </div>
  )
}

function NoReviews({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered) return <NextSteps />
  return (
    <Empty title="No review fits">
      <Link to="/reviews" className="text-accent underline">
        Show all of them
      </Link>
    </Empty>
  )
}
