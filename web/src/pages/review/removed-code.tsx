// What a card says about a secret whose code was removed. The finding stays until it is revoked.
import { Link } from '@tanstack/react-router'
import { Badge } from '../../components/badge.tsx'
import { useFindingNavigation } from './finding-navigation.tsx'
import { findingElementId } from './finding-places.ts'
import type { Finding } from './review-queries.ts'

export function RemovedBadge({ state }: Pick<Finding, 'state'>) {
  return state === 'open' ? (
    <Badge tone="warn">removed from the code; revoke it</Badge>
  ) : (
    <Badge>removed from the code</Badge>
  )
}

/** The code isn't repeated, because it has a secret. The diff of the first review shows it. */
export function RemovedNote({ finding }: { finding: Finding }) {
  const { review } = useFindingNavigation()
  const { state, path, first_review_id: first } = finding
  const isDismissible = review.pr_status === 'open'
  return (
    <>
      {state === 'open' && (
        <p className="font-medium">
          Removed from the code but still in the Git history. Revoke the secret
          {isDismissible && ', then dismiss this finding'}.
        </p>
      )}
      {first !== null && first !== review.id && (
        <p>
          <Link
            to="/reviews/$id"
            params={{ id: String(first) }}
            hash={findingElementId(finding)}
            className="text-accent hover:underline"
          >
            See the removed line of <bdi className="font-mono text-xs">{path}</bdi>
          </Link>{' '}
          in the review that reported it.
        </p>
      )}
    </>
  )
}
