// One row of the reviews list.

import { memo } from 'react'
import { formatRepository } from '../../api/platform-name.ts'
import type { Review } from '../../api/shared-queries.ts'
import {
  PullRequestBadge,
  SeverityCount,
  StatusBadge,
  VerdictBadge,
} from '../../components/badge.tsx'
import { RowLink } from '../../components/row-link.tsx'
import { Time } from '../../components/time.tsx'
import { type ParsedSummary, parseSummary } from './parse-summary.ts'

export const ReviewRow = memo(function ReviewRow({ review }: { review: Review }) {
  const summary = parseSummary(review.ai_summary)
  return (
    <div className="grid gap-x-4 gap-y-1 px-3 py-2.5 sm:min-h-20.75 sm:grid-cols-[1fr_13rem]">
      <div className="min-w-0">
        <RowLink
          to={`/reviews/${review.id}`}
          className="line-clamp-2 font-medium hover:text-accent hover:underline sm:line-clamp-1"
        >
          {review.pr_title || `Pull request ${review.pr_number}`}
        </RowLink>
        <ReviewSubject review={review} />
        {summary && <p className="line-clamp-2 text-muted sm:line-clamp-1">{summary.excerpt}</p>}
      </div>
      <div className="flex flex-wrap content-start items-start gap-x-1.5 gap-y-0.5 sm:justify-end">
        {summary ? (
          <VerdictBadge verdict={summary.verdict} />
        ) : (
          <StatusBadge status={review.status} />
        )}
        <PullRequestBadge state={review.pr_status} />
        {summary && <ReviewCounts summary={summary} files={review.files_analyzed} />}
      </div>
    </div>
  )
})

function ReviewSubject({
  review: { repo_name: repo, pr_number: number, author, branch, ...review },
}: {
  review: Review
}) {
  return (
    <p className="line-clamp-2 text-muted sm:line-clamp-1">
      <RowLink
        to={`/reviews?repo=${encodeURIComponent(repo)}`}
        className="hover:text-ink hover:underline"
      >
        {formatRepository(repo)}
      </RowLink>
      #{number} by <bdi>{author}</bdi>, <bdi className="font-mono text-xs">{branch}</bdi>,{' '}
      <Time at={review.processed_at ?? review.created_at} />
    </p>
  )
}

function ReviewCounts({
  summary: { counts, confidence },
  files,
}: {
  summary: ParsedSummary
  files: number
}) {
  return (
    <>
      <span className="flex flex-wrap gap-x-2 text-xs/5 sm:w-full sm:justify-end">
        {counts.map(({ severity, label }) => (
          <SeverityCount key={severity} severity={severity} label={label} />
        ))}
        {counts.length === 0 && <span className="text-muted">no findings</span>}
      </span>
      <span className="text-muted text-xs/5 sm:w-full sm:text-right">
        {confidence !== null && `Confidence ${confidence} of 5, `}
        {files === 1 ? '1 file' : `${files} files`}
      </span>
    </>
  )
}
