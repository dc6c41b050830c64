// Page of one review: verdict, history, findings in the diff, impact and coverage.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type ReviewDetail, reviewQuery } from '../../api/shared-queries.ts'
import { useApi } from '../../api/use-api.ts'
import { Page } from '../../components/page.tsx'
import { ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { ChangesSection } from './changes-section.tsx'
import { CoveragePanel } from './coverage-panel.tsx'
import { DeliveriesPanel } from './deliveries-panel.tsx'
import { HistoryPanel } from './history-panel.tsx'
import { ImpactPanel } from './impact-panel.tsx'
import { OutcomePanel } from './outcome-panel.tsx'
import { RetryButton } from './retry-button.tsx'
import './review.css'
import { NewerReview, PullRequestLink, ReviewLead } from './review-header.tsx'
import { SourcesPanel } from './sources-panel.tsx'
import { TimeAndCostPanel } from './time-and-cost-panel.tsx'
import { useVerdictUpdate } from './use-verdict-update.ts'

export function ReviewPage() {
  const { id } = useParams({ from: '/shell/reviews/$id' })
  const { data, error, refetch } = useQuery(reviewQuery(useApi(), id))
  if (data !== undefined) return <Review review={data} />
  return (
    <Page title="Review" isWide>
      {error ? <ErrorAlert error={error} onRetry={refetch} /> : <ReviewSkeleton />}
    </Page>
  )
}

function Review({ review }: { review: ReviewDetail }) {
  const { isUpdating, followVerdict } = useVerdictUpdate(review)
  const actions = (
    <div className="flex flex-wrap items-center gap-2">
      <RetryButton review={review} />
      <PullRequestLink review={review} />
    </div>
  )
  return (
    <Page
      title={review.pr_title || `Pull request ${review.pr_number}`}
      lead={<ReviewLead review={review} />}
      aside={actions}
      isWide
    >
      {!isUpdating && <NewerReview review={review} />}
      <div className="mb-4 grid gap-4 lg:grid-cols-[1fr_20rem]">
        <OutcomePanel review={review} />
        <HistoryPanel review={review} />
      </div>
      {review.verdict !== null && (
        <ChangesSection key={review.head_sha} review={review} followVerdict={followVerdict} />
      )}
      <div className="mb-4 gap-x-4 lg:columns-2 *:break-inside-avoid">
        {review.reach && <ImpactPanel impact={review.reach} />}
        {review.coverage && <CoveragePanel coverage={review.coverage} />}
        {(review.timings || review.usage) && <TimeAndCostPanel review={review} />}
        {review.sources && <SourcesPanel sources={review.sources} />}
      </div>
      <DeliveriesPanel deliveries={review.deliveries} currentEventId={review.id} />
    </Page>
  )
}

function ReviewSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading …</span>
      <Skeleton className="mb-4 h-6 w-2/3" />
      <Skeleton className="mb-4 h-40 rounded-xl" />
      <Skeleton className="h-96 rounded-xl" />
    </div>
  )
}
