// Collects which changed lines were read so far, and by whom, to be stored between reviews.

import { type Change, listReviewedFiles } from '../../domain/change.ts'
import type { Coverage } from '../../domain/review.ts'
import { identifyLines, markReadByRules } from '../../git/hunk-identity.ts'
import { isByModel, type ReviewerReport } from '../../reviewers/reviewer.ts'
import type { ReviewersOutcome } from '../run-reviewers.ts'

/** Further lines count as unseen, so that claims about them are reported like others. */
const maxLines = 20_000

/**
 * Returns the changed lines that models or rules have read, in this review or an earlier one, as
 * `EarlierReviews` has them. A file counts as read by models if every reviewer with a model read
 * all of it, and if none of these failed.
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
  const modelPaths = new Set(change.files.map(({ path }) => path))
  const isReadByModels = (path: string) =>
    byModels.length > 0 && failures.length === 0 && modelPaths.has(path) && !unread.has(path)
  const rulePaths = new Set(reports.flatMap(listReadByRules))
  const before = change.earlier.seenLines
  const seen = new Set<string>()
  let lines = 0
  for (const { path, hunks } of listReviewedFiles(change)) {
    const isModels = isReadByModels(path)
    const isRules = rulePaths.has(path)
    if (!isModels && !isRules && before.size === 0) continue
    for (const identity of hunks.flatMap((hunk) => [...identifyLines(hunk).values()])) {
      const mark = markReadByRules(identity)
      if (isModels || before.has(identity)) seen.add(identity)
      if (isRules || before.has(mark)) seen.add(mark)
      lines += 1
      if (lines === maxLines) return seen
    }
  }
  return seen
}

/** Leaves out files with findings over the limit, which the next review may report. */
function listReadByRules({ readByRules = [], unread }: ReviewerReport): string[] {
  return readByRules.filter((path) => !unread.includes(path))
}
