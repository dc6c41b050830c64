// API queries about one review.
import { queryOptions } from '@tanstack/react-query'
import type { readReviewDiffSchema } from '../../../../src/contract/review-diff-schemas.ts'
import type { ApiClient } from '../../api/api-client.ts'
import type { ResponseBody } from '../../api/response-body.ts'
import type { ReviewDetail } from '../../api/shared-queries.ts'

export type ReviewDiff = ResponseBody<typeof readReviewDiffSchema>
export type DiffFile = ReviewDiff['files'][number]
export type Finding = ReviewDetail['findings'][number]

/** The diff of a reviewed commit. It never changes, so it is fetched only once. */
export function reviewDiffQuery(
  api: ApiClient,
  { id, head_sha }: Pick<ReviewDetail, 'id' | 'head_sha'>,
) {
  return queryOptions({
    queryKey: ['review-diff', id, head_sha],
    queryFn: ({ signal }) => api.request<ReviewDiff>(`/api/v1/reviews/${id}/diff`, { signal }),
    enabled: head_sha !== null,
    staleTime: Number.POSITIVE_INFINITY,
  })
}
