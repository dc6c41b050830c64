// Page of one review: verdict, history, findings in the diff, impact and coverage.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
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
  const shown = useShownFindings(review)
  const { isUpdating, followVerdict } = useVerdictUpdate(shown ?? review)
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
      {shown && shown !== review && <LastReviewNote last={shown} />}
      {shown && (
        <ChangesSection key={shown.head_sha} review={shown} followVerdict={followVerdict} />
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

/** While a review is under way, the last one before it: its findings are still of use. */
function useShownFindings(review: ReviewDetail): ReviewDetail | undefined {
  const { id, outcome, history } = review
  const isUnderWay = outcome === 'waiting' || outcome === 'reviewing'
  const last = history.find(({ event_id: other, verdict }) => other < id && verdict !== null)
  const query = reviewQuery(useApi(), String(last?.event_id))
  const { data } = useQuery({ ...query, enabled: isUnderWay && last !== undefined })
  if (review.verdict !== null) return review
  return isUnderWay ? data : undefined
}

function LastReviewNote({ last: { id, head_sha: head } }: { last: ReviewDetail }) {
  return (
    <p role="status" className="mb-4 rounded-lg bg-info-soft px-3 py-2 text-info">
      A new review is in progress. Until it ends, the findings below are those of the{' '}
      <Link to="/reviews/$id" params={{ id: String(id) }} className="font-medium underline">
        last review
      </Link>
      {head && (
        <>
          {' '}
          at <code title={head}>{head.slice(0, 7)}</code>
        </>
      )}
      .
    </p>
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
