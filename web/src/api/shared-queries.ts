// API queries that several pages share.
import { queryOptions } from '@tanstack/react-query'
import type { showMeSchema } from '../../../src/contract/account-schemas.ts'
import type { listReviewsSchema, readReviewSchema } from '../../../src/contract/review-schemas.ts'
import type { ApiClient } from './api-client.ts'
import type { ResponseBody } from './response-body.ts'

export type Me = ResponseBody<typeof showMeSchema>
export type Review = ResponseBody<typeof listReviewsSchema>[number]
export type ReviewDetail = ResponseBody<typeof readReviewSchema>

/** The signed-in user. */
export function meQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['me'],
    queryFn: ({ signal }) => api.request<Me>('/auth/me', { signal }),
    staleTime: 5 * 60_000,
  })
}

/** One review, with its findings and deliveries. */
export function reviewQuery(api: ApiClient, id: string) {
  return queryOptions({
    queryKey: ['review', id],
    queryFn: ({ signal }) =>
      api.request<ReviewDetail>(`/api/v1/reviews/${encodeURIComponent(id)}`, { signal }),
  })
}
