// One entry of the reviews list.
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { Review } from '../../api/queries.ts'
import { Badge, StatusBadge, type Tone, VerdictBadge } from '../../components/badge.tsx'
import { Time } from '../../components/time.tsx'
import { readSummary } from './read-summary.ts'

const stateTones: Readonly<Record<Review['pr_status'], Tone>> = { open: 'info', merged: 'good', closed: 'plain' }

export const ReviewRow = memo(function ReviewRow({ review }: { review: Review }) {
  const summary = readSummary(review.ai_summary)
  return (
    <li className="grid gap-x-4 gap-y-1 border-line border-b px-3 py-2.5 last:border-b-0 sm:grid-cols-[1fr_auto]">
      <div className="min-w-0">
        <Link
          to="/reviews/$id"
          params={{ id: String(review.id) }}
          className="font-medium hover:text-accent hover:underline"
        >
          {review.pr_title || `Pull request ${review.pr_number}`}
        </Link>
        <p className="text-muted">
          <Link to="/reviews" search={{ repo: review.repo_name }} className="hover:underline">
            {review.repo_name}
          </Link>
          #{review.pr_number} by {review.author}, <span className="font-mono text-xs">{review.branch}</span>,{' '}
          <Time at={review.processed_at ?? review.created_at} />
        </p>
        {summary && <p className="line-clamp-1 text-muted">{summary.opening}</p>}
      </div>
      <div className="flex flex-wrap content-start items-start gap-1.5 sm:w-52 sm:justify-end">
        {summary ? <VerdictBadge verdict={summary.verdict} /> : <StatusBadge status={review.status} />}
        <Badge tone={stateTones[review.pr_status]}>{review.pr_status}</Badge>
        {summary && (
          <span className="w-full text-muted text-xs sm:text-right">
            {summary.confidence !== null && `Confidence ${summary.confidence} of 5, `}
            {review.files_analyzed === 1 ? '1 file' : `${review.files_analyzed} files`}
          </span>
        )}
      </div>
    </li>
  )
})
