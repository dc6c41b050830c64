// Explains the verdict of a review, and what the check on the commit waits for.

import type { ReviewDetail } from '../../api/shared-queries.ts'
import { countBySeverity, type SeverityCount } from '../../components/severities.ts'

type ExplainedReview = Pick<
  ReviewDetail,
  'verdict' | 'ends' | 'decision' | 'findings' | 'coverage' | 'pr_status'
>

/** Explains the newest review of a pull request. */
export function describeVerdict(review: ExplainedReview): string {
  const { verdict, findings, coverage } = review
  const open = findings.filter(({ state }) => state === 'open')
  const isIncomplete = coverage?.complete === false
  const counts = countBySeverity(open)
  if (counts.length === 0) {
    if (isIncomplete) return 'No findings are open, but part of the change was not reviewed.'
    return verdict === 'APPROVE' ? 'No findings are open.' : 'A person has to decide.'
  }
  const verb = open.length === 1 ? 'is' : 'are'
  const consequence = verdict === 'APPROVE' ? ', which does not block the change' : ''
  const rest = isIncomplete ? ', and part of the change was not reviewed' : consequence
  return `${listCounts(counts)} ${verb} open${rest}.${describeCheck(review, counts)}`
}

/** Describes how many findings a review left that has a newer one. */
export function describeFormerVerdict(open: number | null): string {
  const left = open === null ? '' : `It left ${open} open ${open === 1 ? 'finding' : 'findings'}. `
  return `${left}The findings below are shown as they are now.`
}

/** Returns text such as `2 critical and 3 moderate findings`. */
function listCounts(counts: readonly SeverityCount[]): string {
  const listed = counts.map(({ severity, count }) => `${count} ${severity}`)
  const noun = counts.at(-1)!.count === 1 ? 'finding' : 'findings'
  return `${new Intl.ListFormat('en').format(listed)} ${noun}`
}

/** Says what has to happen until the check passes, if findings keep it from that. */
function describeCheck(review: ExplainedReview, counts: readonly SeverityCount[]): string {
  if (review.pr_status !== 'open') return ''
  const blocking = counts.filter((count) => blocks(review, count))
  if (blocking.length === 0) return ''
  const total = blocking.reduce((sum, { count }) => sum + count, 0)
  const names = new Intl.ListFormat('en').format(blocking.map(({ severity }) => severity))
  const isAll = blocking.length === counts.length
  const [pronoun, noun] = total === 1 ? ['it is', 'finding is'] : ['they are', 'findings are']
  const subject = isAll ? pronoun : `the ${names} ${noun}`
  return ` The check fails until ${subject} fixed or dismissed.`
}

/** Whether findings of this severity lead to an end that the repository's settings block. */
function blocks({ ends, decision }: ExplainedReview, { severity }: SeverityCount): boolean {
  const gate = Array.isArray(decision?.gate) ? decision.gate : []
  const isBlocked = (end: ReviewDetail['ends'][number]) => ends.includes(end) && gate.includes(end)
  if (severity === 'critical') return isBlocked('changes_requested')
  const requestsChanges = decision?.moderateMeans === 'REQUEST_CHANGES'
  return (
    severity === 'moderate' && isBlocked(requestsChanges ? 'changes_requested' : 'needs_person')
  )
}
