// Page of one review: outcome, findings, diff, impact and coverage.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type ReviewDetail, reviewQuery } from '../../api/shared-queries.ts'
import { useApi } from '../../api/use-api.ts'
import { Page, Panel } from '../../components/page.tsx'
import { ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { CoveragePanel } from './coverage-panel.tsx'
import { DeliveriesPanel } from './deliveries-panel.tsx'
import { DiffPanel } from './diff-panel.tsx'
import { FindingsPanel } from './findings-panel.tsx'
import { ImpactPanel } from './impact-panel.tsx'
import { OutcomePanel } from './outcome-panel.tsx'
import { RetryButton } from './retry-button.tsx'
import { ReviewHeader } from './review-header.tsx'
import { SourcesPanel } from './sources-panel.tsx'
import { TimeAndCostPanel } from './time-and-cost-panel.tsx'

export function ReviewPage() {
  const { id } = useParams({ from: '/shell/reviews/$id' })
  const { data, error, refetch } = useQuery(reviewQuery(useApi(), id))
  if (data !== undefined) return <Review review={data} />
  return (
    <Page title="Review">
      {error ? <ErrorAlert error={error} onRetry={refetch} /> : <ReviewSkeleton />}
    </Page>
  )
}

function Review({ review }: { review: ReviewDetail }) {
  const isReviewed = review.verdict !== null
  return (
    <Page title={review.pr_title} aside={<RetryButton review={review} />}>
      <ReviewHeader review={review} />
      <OutcomePanel review={review} />
      {isReviewed && <FindingsPanel review={review} />}
      {isReviewed && <DiffPanel key={review.head_sha} review={review} />}
      <div className="grid gap-x-4 lg:grid-cols-2">
        {review.reach && <ImpactPanel impact={review.reach} />}
        {review.coverage && <CoveragePanel coverage={review.coverage} />}
        {(review.timings || review.usage) && <TimeAndCostPanel review={review} />}
        {review.sources && <SourcesPanel sources={review.sources} />}
        <DeliveriesPanel deliveries={review.deliveries} currentEventId={review.id} />
      </div>
    </Page>
  )
}

function ReviewSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading …</span>
      <Skeleton className="mb-4 h-6 w-2/3" />
      <Panel title="Outcome">
        <Skeleton className="h-28" />
      </Panel>
      <Panel title="Findings">
        <Skeleton className="h-40" />
      </Panel>
    </div>
  )
}
