// API queries that several pages share.
import { queryOptions } from '@tanstack/react-query'
import type { ApiClient } from './api-client.ts'
import type { ResponseOf } from './endpoints.ts'

export type Me = ResponseOf<'showMe'>
export type Review = ResponseOf<'listReviews'>[number]
export type ReviewDetail = ResponseOf<'readReview'>

/** The signed-in user. */
export function meQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['me'],
    queryFn: ({ signal }) => api.call('showMe', {}, { signal }),
    staleTime: 5 * 60_000,
  })
}

/** One review, with its findings and deliveries. */
export function reviewQuery(api: ApiClient, id: string) {
  return queryOptions({
    queryKey: ['review', id],
    queryFn: ({ signal }) => api.call('readReview', { params: { id } }, { signal }),
  })
}
