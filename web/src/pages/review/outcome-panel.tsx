// Panel with the verdict, confidence and summary of a review, or why there is no verdict.
import type { ReactNode } from 'react'
import { usePlatformName } from '../../api/platform-name.ts'
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { EndBadge, VerdictBadge } from '../../components/badge.tsx'
import { LazyMarkdown } from '../../components/lazy-markdown.tsx'
import { Panel } from '../../components/page.tsx'
import { Time } from '../../components/time.tsx'
import { stripSummaryHeader } from '../reviews/parse-summary.ts'
import { sanitizeUrl } from './sanitize-url.ts'

export function OutcomePanel({ review }: { review: ReviewDetail }) {
  return (
    <Panel title="Outcome">
      {review.warnings.length > 0 && <Warnings warnings={review.warnings} />}
      {review.verdict === null ? <NoVerdict review={review} /> : <Verdict review={review} />}
    </Panel>
  )
}

function Warnings({ warnings }: Pick<ReviewDetail, 'warnings'>) {
  return (
    <div role="alert" className="mb-3 rounded bg-warn-soft p-3 text-warn">
      <p className="font-medium">The model was unavailable for all or part of this review.</p>
      <ul>
        {warnings.map(({ message }) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
      <p className="mt-1">The review runs again automatically once the model is available.</p>
    </div>
  )
}

function Verdict({ review }: { review: ReviewDetail }) {
  const platformName = usePlatformName(review.repo_name)
  const {
    verdict,
    confidence,
    confidence_reason: reason,
    head_sha: head,
    files_analyzed: files,
  } = review
  const publishedUrl = sanitizeUrl(review.published_url)
  return (
    <>
      <p className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1">
        {review.ends.length > 0 ? (
          review.ends.map((end) => <EndBadge key={end} end={end} />)
        ) : (
          <VerdictBadge verdict={verdict ?? ''} />
        )}
        {review.usage?.calls === 0 ? (
          <span className="text-muted">Rules only, without a model</span>
        ) : (
          <span>
            Confidence <strong>{confidence} of 5</strong>
            {reason && <span className="text-muted">: {reason}</span>}
          </span>
        )}
      </p>
      <LazyMarkdown text={stripSummaryHeader(review.ai_summary ?? '')} />
      <p className="mt-2 text-muted">
        {files} {files === 1 ? 'file' : 'files'} reviewed
        {head && (
          <>
            {' '}
            at <code title={head}>{head.slice(0, 7)}</code>
          </>
        )}
        {publishedUrl && (
          <>
            {' · '}
            <a href={publishedUrl} rel="noreferrer nofollow" className="text-accent underline">
              View on {platformName}
            </a>
          </>
        )}
      </p>
    </>
  )
}

function NoVerdict({ review }: { review: ReviewDetail }) {
  if (review.status === 'processing')
    return (
      <StatusText>
        The pull request is being reviewed. The result appears here automatically.
      </StatusText>
    )
  if (review.status === 'pending') {
    return (
      <StatusText>
        {review.error ??
          'The review is waiting for a worker. The result appears here automatically.'}
        {review.retry_at && (
          <>
            {' '}
            Next attempt: <Time at={review.retry_at} />.
          </>
        )}
      </StatusText>
    )
  }
  if (review.status === 'failed') {
    return (
      <div className="rounded bg-bad-soft p-3 text-bad">
        <p className="font-medium">
          The review failed after{' '}
          {review.attempts === 1 ? '1 attempt' : `${review.attempts} attempts`}.
        </p>
        <p>{review.error ?? 'No error message was recorded.'}</p>
        <p className="mt-1">Fix the cause, then select Review again.</p>
      </div>
    )
  }
  return (
    <StatusText>
      {stripSummaryHeader(review.ai_summary ?? '') || 'Nothing was reviewed.'}
    </StatusText>
  )
}

function StatusText({ children }: { children: ReactNode }) {
  return <p role="status">{children}</p>
}
