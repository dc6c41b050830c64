// Decides where each finding is shown: on its line, in the summary, or held back over the cap.
import { compareBySeverity, type Finding } from '../../domain/finding.ts'
import { isCommentable } from '../../git/commentable-lines.ts'
import type { Change } from '../../reviewers/reviewer.ts'

/** Critical findings go over the cap, up to so many inline comments in all: nobody reads more. */
const maxInlineWithCritical = 30

/**
 * Orders by severity and confidence, and holds back what is over the cap. Critical ones go over it, up to 30 inline
 * comments in all (or the cap, where that is more). A cap of 0 asks for no comments on lines at all: critical ones are
 * then told in the summary.
 */
export function placeFindings(
  change: Change,
  findings: readonly Finding[],
  maxInline: number,
): Finding[] {
  const most = Math.max(maxInline, maxInlineWithCritical)
  let inline = 0
  return findings.toSorted(compareBySeverity).map((finding) => {
    const isCritical = finding.severity === 'critical'
    const isTold = finding.placement === 'summary' || (isCritical && maxInline === 0)
    if (isTold || !standsInDiff(change, finding)) return { ...finding, placement: 'summary' }
    inline += 1
    const isShown = inline <= (isCritical ? most : maxInline)
    return { ...finding, placement: isShown ? 'inline' : 'held_back' }
  })
}

/** The last look before a comment is posted: a line that the platform would refuse is told in the summary instead. */
function standsInDiff(change: Change, { path, side, startLine, endLine }: Finding): boolean {
  const files = change.diff.files.filter((file) => file.path === path)
  return files.some((file) => isCommentable(file, side, startLine, endLine))
}
