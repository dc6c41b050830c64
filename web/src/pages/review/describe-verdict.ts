// Explains the verdict of a review from its open findings and its coverage.

import type { ReviewDetail } from '../../api/shared-queries.ts'
import { countBySeverity, type SeverityCount } from '../../components/severities.ts'

export function describeVerdict({
  verdict,
  findings,
  coverage,
}: Pick<ReviewDetail, 'verdict' | 'findings' | 'coverage'>): string {
  const open = findings.filter(({ state }) => state === 'open')
  const isIncomplete = coverage?.complete === false
  const counts = countBySeverity(open)
  if (counts.length === 0) {
    if (isIncomplete) return 'No findings are open, but part of the change was not reviewed.'
    return verdict === 'APPROVE' ? 'No findings are open.' : 'A person has to decide.'
  }
  const listed = counts.map(({ severity, count }) => `${count} ${severity}`)
  const noun = counts.at(-1)!.count === 1 ? 'finding' : 'findings'
  const verb = open.length === 1 ? 'is' : 'are'
  const consequence = verdict === 'APPROVE' ? ', which does not block the change' : ''
  const rest = isIncomplete ? ', and part of the change was not reviewed' : consequence
  const list = new Intl.ListFormat('en').format(listed)
  return `${list} ${noun} ${verb} open${rest}.${describeCause(verdict, counts)}`
}

/** Names the findings that decide, if others are open too. */
function describeCause(verdict: ReviewDetail['verdict'], counts: readonly SeverityCount[]): string {
  const { severity, count } = counts[0]!
  if (counts.length === 1 || severity === 'minor') return ''
  const findings = `the ${severity} ${count === 1 ? 'finding' : 'findings'}`
  if (verdict === 'NEEDS_DISCUSSION') return ` A person has to decide about ${findings}.`
  return verdict === 'REQUEST_CHANGES' ? ` Changes are requested because of ${findings}.` : ''
}
