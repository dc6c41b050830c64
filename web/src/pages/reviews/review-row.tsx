// One row of the inbox.

import { GitBranchIcon } from '@primer/octicons-react'
import { memo } from 'react'
import { formatRepository } from '../../api/platform-name.ts'
import type { InboxEntry } from '../../api/reviews-query.ts'
import { Avatar } from '../../components/avatar.tsx'
import { PullRequestStateIcon, pullRequestState, SeverityIcon } from '../../components/badge.tsx'
import { ReviewResult } from '../../components/review-result.tsx'
import { RowLink } from '../../components/row-link.tsx'
import { severities } from '../../components/severities.ts'
import { TextWithCode } from '../../components/text-with-code.tsx'
import { Time } from '../../components/time.tsx'

const rowClass =
  'grid grid-cols-[1rem_1fr] gap-x-3 gap-y-1 px-3 py-2.5 hover:bg-raised/60 ' +
  'has-focus-visible:bg-raised sm:min-h-15.5 sm:grid-cols-[1rem_1fr_auto]'

export const ReviewRow = memo(function ReviewRow({ review }: { review: InboxEntry }) {
  const state = pullRequestState(review)
  return (
    <div className={rowClass}>
      <span className="pt-0.5">
        <PullRequestStateIcon state={state} />
      </span>
      <div className="min-w-0">
        <RowLink
          to={`/reviews/${review.id}`}
          className="line-clamp-2 font-semibold hover:text-accent sm:line-clamp-1"
        >
          {review.pr_title || `Pull request ${review.pr_number}`}
        </RowLink>
        <ReviewSubject review={review} />
      </div>
      <div className="col-start-2 flex flex-wrap items-center gap-x-3 gap-y-1 sm:col-start-3">
        <FindingCounts review={review} />
        <SkipReason review={review} />
        <span className="sm:flex sm:min-w-38 sm:justify-end">
          <ReviewResult review={review} />
        </span>
      </div>
    </div>
  )
})

const subjectClass =
  'mt-0.5 flex flex-wrap items-center gap-x-2 overflow-hidden text-muted text-xs/4.5 ' +
  'tabular-nums sm:h-4.5'

function ReviewSubject({
  review: { repo_name: repo, pr_number: number, author, branch, additions, deletions, ...review },
}: {
  review: InboxEntry
}) {
  return (
    <p className={subjectClass}>
      <span>
        <RowLink
          to={`/reviews?tab=all&repo=${encodeURIComponent(repo)}`}
          className="hover:text-ink hover:underline"
        >
          {formatRepository(repo)}
        </RowLink>
        #{number}
      </span>
      <span className="inline-flex items-center gap-1">
        <Avatar name={author} />
        <bdi>{author}</bdi>
      </span>
      <Time at={review.processed_at ?? review.created_at} />
      <span className="inline-flex min-w-0 max-w-60 items-center gap-1">
        <GitBranchIcon size={12} />
        <bdi className="truncate font-mono">{branch}</bdi>
      </span>
      {additions + deletions > 0 && (
        <span>
          <span className="text-good">+{additions}</span>{' '}
          <span className="text-bad">−{deletions}</span>
        </span>
      )}
    </p>
  )
}

/** Numbers with icons, whose labels are for screen readers. */
function FindingCounts({ review }: { review: InboxEntry }) {
  const counts = severities
    .map((severity) => ({ severity, count: review[`${severity}_count`] }))
    .filter(({ count }) => count > 0)
  if (counts.length === 0 && review.verdict === null) return null
  return (
    <span className="flex gap-x-2.5 text-xs/5 tabular-nums">
      {counts.map(({ severity, count }) => (
        <span key={severity} className="inline-flex items-center gap-1 font-medium">
          <SeverityIcon severity={severity} size={12} /> {count}
        </span>
      ))}
      {counts.length === 0 && <span className="text-muted">no open findings</span>}
    </span>
  )
}

/** Without the name of the setting, which the page of the review has. */
function SkipReason({ review: { progress, ends, ai_summary: summary } }: { review: InboxEntry }) {
  const [, reason] = /^Skipped: (.+?)(?: \(`[\w.]+`\))?\.$/m.exec(summary ?? '') ?? []
  if (reason === undefined || progress !== null || ends[0] !== 'skipped') return null
  return (
    <span className="max-w-64 text-muted text-xs/5">
      <TextWithCode text={reason} />
    </span>
  )
}
