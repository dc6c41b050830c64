// Badge with the result of a review, or its status before it has one.
import type { InboxEntry } from '../api/reviews-query.ts'
import { EndBadge, StatusBadge, VerdictBadge } from './badge.tsx'

/** Once a pull request is merged or closed, nobody has to act on its review. */
export function ReviewResult({
  review: { progress, status, verdict, ends, pr_status: state },
}: {
  review: InboxEntry
}) {
  const isQuiet = state !== 'open'
  if (progress !== null) return <StatusBadge status={progress} />
  if (status === 'completed' && ends[0] !== undefined)
    return <EndBadge end={ends[0]} isQuiet={isQuiet} />
  if (status === 'completed')
    return <VerdictBadge verdict={verdict ?? 'UNKNOWN'} isQuiet={isQuiet} />
  return <StatusBadge status={status === 'failed' ? 'failed' : 'unreviewed'} />
}
