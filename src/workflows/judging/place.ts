// Last step: decides where each finding is shown: on its line, in the summary, or suppressed.

import type { Change } from '../../domain/change.ts'
import { compareBySeverity, type Finding } from '../../domain/finding.ts'
import { isCommentable } from '../../git/commentable-lines.ts'
import { limitInlineComments, limitRepeated } from './policy.ts'
import type { Placed } from './stages.ts'

/**
 * Sorts by severity and confidence, and suppresses what is over the maximum number of inline
 * comments, or says once more what others say. Critical findings without a comment go into the
 * summary if the maximum is 0.
 */
export function placeFindings(
  change: Change,
  findings: readonly Finding[],
  maxInline: number,
): Placed[] {
  let inline = 0
  const repeated = new Map<string, number>()
  return findings.toSorted(compareBySeverity).map((finding) => {
    const isCritical = finding.severity === 'critical'
    const isForSummary = finding.placement === 'summary' || (isCritical && maxInline === 0)
    if (isForSummary || !hasCommentableLine(change, finding))
      return { ...finding, placement: 'summary' }
    const said = JSON.stringify([finding.path, finding.rule, finding.title])
    const times = (repeated.get(said) ?? 0) + 1
    repeated.set(said, times)
    if (times > limitRepeated(finding.severity, maxInline))
      return { ...finding, placement: 'held_back' }
    inline += 1
    const isShown = inline <= limitInlineComments(finding.severity, maxInline)
    return { ...finding, placement: isShown ? 'inline' : 'held_back' }
  })
}

/** Whether the platform accepts a comment on the lines of a finding. */
function hasCommentableLine(change: Change, { path, side, startLine, endLine }: Finding): boolean {
  const files = change.diff.files.filter((file) => file.path === path)
  return files.some((file) => isCommentable(file, side, startLine, endLine))
}
