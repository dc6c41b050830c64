// Explains the verdict of a review in one sentence, from its open findings and its coverage.

import type { ReviewDetail } from '../../api/shared-queries.ts'
import { severities } from '../../components/severities.ts'

export function describeVerdict({
  verdict,
  findings,
  coverage,
}: Pick<ReviewDetail, 'verdict' | 'findings' | 'coverage'>): string {
  const open = findings.filter(({ state }) => state === 'open')
  const isIncomplete = coverage?.complete === false
  const counts = describeCounts(open)
  if (counts === null) {
    if (isIncomplete) return 'No findings are open, but part of the change was not reviewed.'
    return verdict === 'APPROVE' ? 'No findings are open.' : 'A person has to decide.'
  }
  const isAre = open.length === 1 ? 'finding is' : 'findings are'
  const consequence = verdict === 'APPROVE' ? ', which does not block the change' : ''
  const rest = isIncomplete ? ', and part of the change was not reviewed' : consequence
  return `${counts} ${isAre} open${rest}.`
}

/** Such as `2 critical and 1 minor`; null if there are none. */
function describeCounts(open: ReviewDetail['findings']): string | null {
  const parts = severities.flatMap((severity) => {
    const count = open.filter((finding) => finding.severity === severity).length
    return count === 0 ? [] : [`${count} ${severity}`]
  })
  return parts.length === 0 ? null : new Intl.ListFormat('en').format(parts)
}
