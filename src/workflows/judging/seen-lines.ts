// Collects which changed lines models have read so far, to be stored between reviews.

import type { Change } from '../../domain/change.ts'
import type { Coverage } from '../../domain/review.ts'
import { identifyLines } from '../../git/hunk-identity.ts'
import { isByModel } from '../../reviewers/reviewer.ts'
import type { ReviewersOutcome } from '../run-reviewers.ts'

/** Further lines count as unseen, so that claims about them aren't suppressed. */
const maxLines = 20_000

/**
 * Returns the identities of changed lines that a model has read, in this review or an earlier one.
 * A file counts as read if every reviewer with a model read all of it. If one failed, no file does.
 */
export function collectSeenLines(
  change: Change,
  { reports, failures }: Pick<ReviewersOutcome, 'reports' | 'failures'>,
  coverage: Pick<Coverage, 'skipped'>,
): Set<string> {
  const byModels = reports.filter(isByModel)
  const unread = new Set([
    ...coverage.skipped.map(({ path }) => path),
    ...byModels.flatMap(({ unread }) => unread),
  ])
  const wasRead = (path: string) =>
    byModels.length > 0 && failures.length === 0 && !unread.has(path)
  const before = change.earlier.seenLines
  const seen = new Set<string>()
  for (const file of change.files) {
    const isRead = wasRead(file.path)
    if (!isRead && before.size === 0) continue
    for (const identity of file.hunks.flatMap((hunk) => [...identifyLines(hunk).values()])) {
      if (isRead || before.has(identity)) seen.add(identity)
      if (seen.size === maxLines) return seen
    }
  }
  return seen
}
