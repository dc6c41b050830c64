// API queries about one review.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ApiClient } from '../../api/api-client.ts'
import type { ResponseOf } from '../../api/endpoints.ts'
import type { ReviewDetail } from '../../api/shared-queries.ts'

export type ReviewDiff = ResponseOf<'readReviewDiff'>
export type DiffFile = ReviewDiff['files'][number]
export type Finding = ReviewDetail['findings'][number]

/** The diff of a reviewed commit. It never changes, so it is fetched only once. */
export function reviewDiffQuery(
  api: ApiClient,
  { id, head_sha }: Pick<ReviewDetail, 'id' | 'head_sha'>,
) {
  return queryOptions({
    queryKey: ['review-diff', id, head_sha],
    queryFn: ({ signal }) => api.call('readReviewDiff', { params: { id: String(id) } }, { signal }),
    enabled: head_sha !== null,
    staleTime: Number.POSITIVE_INFINITY,
    // What shows the diff is mounted again for another commit, so that the diff before is the same.
    placeholderData: keepPreviousData,
  })
}
