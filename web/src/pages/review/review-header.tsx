// Pull request of a review, its state, and a link to a newer review.

import { Link } from '@tanstack/react-router'
import { formatRepository } from '../../api/platform-name.ts'
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { PullRequestBadge, StatusBadge } from '../../components/badge.tsx'
import { Time } from '../../components/time.tsx'
import { sanitizeUrl } from './sanitize-url.ts'

export function ReviewHeader({ review }: { review: ReviewDetail }) {
  const newer = findNewerDelivery(review)
  return (
    <div className="-mt-2 mb-4">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-muted">
        <StatusBadge status={review.ends[0] === 'skipped' ? 'skipped' : review.status} />
        <PullRequestBadge state={review.pr_status} />
        <a
          href={sanitizeUrl(review.pr_url)}
          rel="noreferrer nofollow"
          className="text-accent underline"
        >
          {formatRepository(review.repo_name)}#{review.pr_number}
        </a>
        {review.branch !== '' && (
          <span>
            <bdi className="font-mono">{review.branch}</bdi> by <bdi>{review.author}</bdi>
          </span>
        )}
        <Time at={review.processed_at ?? review.created_at} />
      </p>
      {newer && (
        <p className="mt-2">
          This pull request has a newer review:{' '}
          <Link
            to="/reviews/$id"
            params={{ id: String(newer.id) }}
            className="text-accent underline"
          >
            View newer review
          </Link>
        </p>
      )}
    </div>
  )
}

/** The newest later delivery that has or will have a review. */
function findNewerDelivery(review: ReviewDetail) {
  const reviewOutcomes = ['waiting', 'reviewing', 'reviewed', 'skipped', 'failed']
  const later = review.deliveries.filter(
    ({ id, outcome }) => id > review.id && reviewOutcomes.includes(outcome),
  )
  return later.toSorted((one, other) => other.id - one.id)[0]
}
