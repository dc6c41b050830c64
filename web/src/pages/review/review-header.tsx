// Pull request of a review, its state, and a link to a newer review.

import { GitBranchIcon, LinkExternalIcon } from '@primer/octicons-react'
import { Link } from '@tanstack/react-router'
import { formatRepository, usePlatformName } from '../../api/platform-name.ts'
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { Avatar } from '../../components/avatar.tsx'
import { PullRequestBadge, pullRequestState } from '../../components/badge.tsx'
import { buttonClass } from '../../components/button.tsx'
import { ExternalLink } from '../../components/external-link.tsx'
import { Time } from '../../components/time.tsx'

export function ReviewLead({ review }: { review: ReviewDetail }) {
  return (
    <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-muted">
      <PullRequestBadge state={pullRequestState(review)} />
      <Link
        to="/reviews"
        search={{ repo: review.repo_name }}
        className="hover:text-ink hover:underline"
      >
        {formatRepository(review.repo_name)}
      </Link>
      <span>#{review.pr_number}</span>
      <span className="inline-flex items-center gap-1.5">
        <Avatar name={review.author} />
        <bdi>{review.author}</bdi>
      </span>
      {review.branch !== '' && (
        <span className="inline-flex min-w-0 items-center gap-1">
          <GitBranchIcon />
          <bdi className="font-mono text-xs">{review.branch}</bdi>
        </span>
      )}
      <Time at={review.processed_at ?? review.created_at} />
    </p>
  )
}

export function NewerReview({ review }: { review: ReviewDetail }) {
  const newer = findNewerDelivery(review)
  if (newer === undefined) return null
  return (
    <p className="mb-4 rounded-lg bg-info-soft px-3 py-2 text-info">
      This pull request has a newer review:{' '}
      <Link to="/reviews/$id" params={{ id: String(newer.id) }} className="font-medium underline">
        View newer review
      </Link>
    </p>
  )
}

export function PullRequestLink({ review }: { review: ReviewDetail }) {
  const platformName = usePlatformName(review.repo_name)
  return (
    <ExternalLink href={review.pr_url} className={buttonClass()}>
      Open on {platformName}
      <LinkExternalIcon />
    </ExternalLink>
  )
}

/** The newest later delivery that has or will have a review. */
export function findNewerDelivery({ id: ownId, deliveries }: ReviewDetail) {
  const reviewOutcomes = ['waiting', 'reviewing', 'reviewed', 'skipped', 'failed']
  const later = deliveries.filter(
    ({ id, outcome }) => id > ownId && reviewOutcomes.includes(outcome),
  )
  return later.toSorted((one, other) => other.id - one.id)[0]
}
