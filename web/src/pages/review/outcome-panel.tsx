// The verdict of a review, one sentence that explains it, and its summary; or why there is none.
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { usePlatformName } from '../../api/platform-name.ts'
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { EndBadge, reviewLook, type Tone } from '../../components/badge.tsx'
import { ExternalLink, sanitizeUrl } from '../../components/external-link.tsx'
import { LazyMarkdown } from '../../components/lazy-markdown.tsx'
import { TextWithCode } from '../../components/text-with-code.tsx'
import { Time } from '../../components/time.tsx'
import { coverageId } from './coverage-panel.tsx'
import { describeFormerVerdict, describeNextStep, describeVerdict } from './describe-verdict.ts'
import { nameRetry } from './retry-button.tsx'
import { findNewerDelivery } from './review-header.tsx'
import { stripSummaryHeader } from './strip-summary-header.ts'

export function OutcomePanel({ review }: { review: ReviewDetail }) {
  const { verdict, ends } = review
  const status = review.outcome === 'recorded' ? 'recorded' : review.status
  const look = reviewLook({ verdict, ends, status })
  return (
    <section
      aria-labelledby="outcome"
      className="flex min-w-0 flex-col gap-4 rounded-xl border border-line bg-surface p-4 sm:p-5"
    >
      {review.warnings.length > 0 && <Warnings warnings={review.warnings} />}
      <div className="flex gap-3 sm:gap-4">
        <span className={`mt-0.5 h-fit rounded-full p-2.5 ${iconClasses[look.tone]}`}>
          <look.icon size={24} />
        </span>
        <div className="min-w-0 grow">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h2 id="outcome" className={`font-bold text-xl ${textClasses[look.tone]}`}>
              <span className="sr-only">Outcome: </span>
              {look.label}
            </h2>
            {listFurtherEnds(ends).map((end) => (
              <EndBadge key={end} end={end} />
            ))}
          </div>
          {verdict === null ? <NoVerdict review={review} /> : <Verdict review={review} />}
        </div>
      </div>
      {verdict !== null && <VerdictDetails review={review} />}
    </section>
  )
}

/** Where changes are requested, that a person decides about the rest adds nothing. */
function listFurtherEnds([first, ...rest]: ReviewDetail['ends']) {
  return rest.filter((end) => first !== 'changes_requested' || end !== 'needs_person')
}

const iconClasses: Readonly<Record<Tone, string>> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  info: 'bg-info-soft text-info',
  merged: 'bg-merged-soft text-merged',
  plain: 'bg-raised text-muted',
}

const textClasses: Readonly<Record<Tone, string>> = {
  good: 'text-good',
  warn: 'text-warn',
  bad: 'text-bad',
  info: 'text-info',
  merged: 'text-merged',
  plain: 'text-ink',
}

function Warnings({ warnings }: Pick<ReviewDetail, 'warnings'>) {
  return (
    <div role="alert" className="rounded-lg bg-warn-soft p-3 text-warn">
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
  const newer = findNewerDelivery(review)
  const open = review.history.find((entry) => entry.event_id === review.id)?.open_findings ?? null
  return (
    <>
      <p className="text-base">
        {newer === undefined ? describeVerdict(review) : describeFormerVerdict(open)}
      </p>
      {newer === undefined && <NextStep review={review} />}
      <div className="mt-3">
        <LazyMarkdown text={stripSummaryHeader(review.ai_summary ?? '')} />
      </div>
    </>
  )
}

function NextStep({ review }: { review: ReviewDetail }) {
  const text = describeNextStep(review)
  return text === '' ? null : (
    <p className="mt-1">
      <TextWithCode text={text} />
    </p>
  )
}

/** At the bottom of the panel, which is as high as the history next to it. */
function VerdictDetails({ review }: { review: ReviewDetail }) {
  const platformName = usePlatformName(review.repo_name)
  const { head_sha: head, files_analyzed: files, confidence_reason: reason } = review
  const isByRules = (review.examination ?? review).usage?.calls === 0
  return (
    <p className="mt-auto flex flex-wrap gap-x-5 gap-y-0.5 border-line border-t pt-3 text-muted">
      {isByRules ? (
        <span>Rules only</span>
      ) : (
        <span>
          Confidence <strong className="text-ink">{review.confidence} of 5</strong>
          {reason && <>: {reason}</>}
        </span>
      )}
      <span>
        {files} {files === 1 ? 'file' : 'files'} reviewed
        {head && (
          <>
            {' '}
            at <code title={head}>{head.slice(0, 7)}</code>
          </>
        )}
      </span>
      {review.coverage && (
        <Link to="." hash={coverageId} className="text-accent hover:underline">
          Coverage
        </Link>
      )}
      {sanitizeUrl(review.published_url) && (
        <ExternalLink href={review.published_url}>Review on {platformName}</ExternalLink>
      )}
    </p>
  )
}

function NoVerdict({ review }: { review: ReviewDetail }) {
  if (review.outcome === 'recorded')
    return (
      <StatusText>
        This delivery starts no review. History lists the reviews of the pull request.
      </StatusText>
    )
  if (review.status === 'processing')
    return (
      <StatusText>
        The pull request is being reviewed. The result appears here automatically.
      </StatusText>
    )
  if (review.status === 'pending') {
    return (
      <StatusText>
        {review.error ?? 'The review waits for its turn. The result appears here automatically.'}
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
      <>
        <p className="font-medium">
          The review failed after{' '}
          {review.attempts === 1 ? '1 attempt' : `${review.attempts} attempts`}.
        </p>
        <p>{review.error ?? 'No error message was recorded.'}</p>
        <p className="mt-1 text-muted">Fix the cause, then select Review again.</p>
      </>
    )
  }
  return <Skipped review={review} />
}

function Skipped({ review }: { review: ReviewDetail }) {
  const reason = stripSummaryHeader(review.ai_summary ?? '').replace(/^Skipped: /, 'Reason: ')
  return (
    <div role="status">
      <LazyMarkdown text={reason || 'Nothing was reviewed.'} />
      {review.pr_status === 'open' && (
        <p className="mt-1 text-muted">To review it anyway, select {nameRetry(review)}.</p>
      )}
      <NextStep review={review} />
    </div>
  )
}

function StatusText({ children }: { children: ReactNode }) {
  return <p role="status">{children}</p>
}
