// What is asked of the service about one review, beside the review itself.
import { queryOptions } from '@tanstack/react-query'
import type { readReviewDiff } from '../../../../src/http/contract/review-diff.ts'
import type { Api } from '../../api/api.ts'
import type { Answer } from '../../api/json.ts'
import type { ReviewDetail } from '../../api/queries.ts'

export type ReviewDiff = Answer<typeof readReviewDiff>
export type DiffFile = ReviewDiff['files'][number]
export type Finding = ReviewDetail['findings'][number]

/** The diff of a reviewed commit, which is always the same: it isn't asked for again while the page is open. */
export function reviewDiffQuery(api: Api, { id, head_sha }: Pick<ReviewDetail, 'id' | 'head_sha'>) {
  return queryOptions({
    queryKey: ['review-diff', id, head_sha],
    queryFn: ({ signal }) => api.ask<ReviewDiff>(`/api/v1/reviews/${id}/diff`, { signal }),
    enabled: head_sha !== null,
    staleTime: Number.POSITIVE_INFINITY,
  })
}
