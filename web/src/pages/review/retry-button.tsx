// Button that requests another review of the same pull request.
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { getErrorMessage } from '../../api/api-error.ts'
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../components/button.tsx'

/** Says `again` only if there was a review. */
export function nameRetry({ history }: Pick<ReviewDetail, 'history'>): string {
  const isFirst = history.every(({ verdict, status }) => verdict === null && status !== 'failed')
  return isFirst ? 'Review' : 'Review again'
}

export function RetryButton({
  review,
}: {
  review: Pick<ReviewDetail, 'id' | 'outcome' | 'pr_status' | 'history'>
}) {
  const api = useApi()
  const navigate = useNavigate()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.call('retryReview', { params: { id: String(review.id) } }),
    onSuccess: ({ event_id }) => navigate({ to: '/reviews/$id', params: { id: String(event_id) } }),
  })
  const isUnderWay = review.outcome === 'waiting' || review.outcome === 'reviewing'
  if (review.pr_status !== 'open' || isUnderWay) return null
  return (
    <div className="flex flex-wrap items-center gap-2">
      {error && (
        <span role="alert" className="text-bad">
          {getErrorMessage(error)}
        </span>
      )}
      <Button disabled={isPending} onClick={() => mutate()}>
        {nameRetry(review)}
      </Button>
    </div>
  )
}
