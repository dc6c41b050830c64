// Decides where each finding is shown: on its line, in the summary, or suppressed over the cap.
import { compareBySeverity, type Finding } from '../../domain/finding.ts'
import { isCommentable } from '../../git/commentable-lines.ts'
import type { Change } from '../../reviewers/reviewer.ts'

/** Critical findings may exceed the cap up to this many inline comments in all. */
const maxInlineWithCritical = 30

/**
 * Sorts by severity and confidence, and suppresses what is over the cap `maxInline`. Critical
 * findings may exceed it, up to 30 inline comments in all. A cap of 0 means no inline comments at
 * all: critical findings then go into the summary.
 */
export function placeFindings(
  change: Change,
  findings: readonly Finding[],
  maxInline: number,
): Finding[] {
  const maxCritical = Math.max(maxInline, maxInlineWithCritical)
  let inline = 0
  return findings.toSorted(compareBySeverity).map((finding) => {
    const isCritical = finding.severity === 'critical'
    const isForSummary = finding.placement === 'summary' || (isCritical && maxInline === 0)
    if (isForSummary || !hasCommentableLine(change, finding))
      return { ...finding, placement: 'summary' }
    inline += 1
    const isShown = inline <= (isCritical ? maxCritical : maxInline)
    return { ...finding, placement: isShown ? 'inline' : 'held_back' }
  })
}

/** Whether the platform accepts a comment on the lines of a finding. */
function hasCommentableLine(change: Change, { path, side, startLine, endLine }: Finding): boolean {
  const files = change.diff.files.filter((file) => file.path === path)
  return files.some((file) => isCommentable(file, side, startLine, endLine))
}
