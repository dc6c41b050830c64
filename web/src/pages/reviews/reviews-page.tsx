// The reviews list.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { reviewsQuery } from '../../api/queries.ts'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, Failure, Skeleton } from '../../components/states.tsx'
import { NextSteps } from './next-steps.tsx'
import { ReviewRow } from './review-row.tsx'
import { ReviewsFilters } from './reviews-filters.tsx'
import type { ReviewsSearch } from './reviews-search.ts'

/** How many are shown at first, and the most that the service lists. */
const few = 30
const most = 100

export function ReviewsPage() {
  const filter = useSearch({ from: '/shell/reviews' })
  return (
    <Page title="Reviews">
      <ReviewsFilters filter={filter} />
      <ReviewsList filter={filter} />
    </Page>
  )
}

function ReviewsList({ filter }: { filter: ReviewsSearch }) {
  const api = useApi()
  const [limit, setLimit] = useState(few)
  const query = reviewsQuery(api, { ...filter, limit })
  const { data: reviews, error, refetch, isPlaceholderData } = useQuery({ ...query, placeholderData: keepPreviousData })
  if (error !== null && reviews === undefined) return <Failure error={error} onRetry={() => refetch()} />
  if (reviews === undefined) return <WaitingList />
  if (reviews.length === 0) return <NoReviews isFiltered={Object.keys(filter).length > 0} />
  return (
    <>
      <ul aria-label="Reviews" className="rounded-lg border border-line bg-surface">
        {reviews.map((review) => (
          <ReviewRow key={`${review.repo_name}#${review.pr_number}`} review={review} />
        ))}
      </ul>
      {reviews.length >= few && (
        <div className="mt-3 text-center text-muted">
          {limit === few ? (
            <Button onClick={() => setLimit(most)} disabled={isPlaceholderData}>
              Show more
            </Button>
          ) : (
            reviews.length === most && `These are the newest ${most}. The search finds older ones.`
          )}
        </div>
      )}
    </>
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
