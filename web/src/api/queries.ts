// What is asked of the service by more than one page, under which key it is kept.
import { queryOptions } from '@tanstack/react-query'
import type { showMe } from '../../../src/http/contract/accounts.ts'
import type { listReviews, readReview } from '../../../src/http/contract/reviews.ts'
import type { Api } from './api.ts'
import type { Answer } from './json.ts'

export type Me = Answer<typeof showMe>
export type Review = Answer<typeof listReviews>[number]
export type ReviewDetail = Answer<typeof readReview>

/** Who is signed in. */
export function meQuery(api: Api) {
  return queryOptions({
    queryKey: ['me'],
    queryFn: ({ signal }) => api.ask<Me>('/auth/me', { signal }),
    staleTime: 5 * 60_000,
  })
}

/** One review, with its findings and deliveries. */
export function reviewQuery(api: Api, id: string) {
  return queryOptions({
    queryKey: ['review', id],
    queryFn: ({ signal }) =>
      api.ask<ReviewDetail>(`/api/v1/reviews/${encodeURIComponent(id)}`, { signal }),
  })
}
