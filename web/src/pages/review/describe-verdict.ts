// Explains how a review ended, what to do about it, and whether its check blocks merging.

import type { ReviewDetail } from '../../api/shared-queries.ts'
import { countBySeverity, type SeverityCount } from '../../components/severities.ts'
import type { Finding } from './review-queries.ts'

type ReviewEnd = ReviewDetail['ends'][number]

type ExplainedReview = Pick<
  ReviewDetail,
  'verdict' | 'ends' | 'decision' | 'findings' | 'coverage' | 'pr_status' | 'warnings'
>

/** Explains why the newest review of a pull request ended so. */
export function describeVerdict(review: ExplainedReview): string {
  const { verdict, ends } = review
  const open = openFindings(review)
  const unread = describeUnread(review)
  const counts = countBySeverity(open)
  if (counts.length === 0) {
    if (unread !== null) return `${unread[0]!.toUpperCase()}${unread.slice(1)}.`
    return verdict === 'APPROVE' ? 'Nothing is left to fix or decide.' : 'A person has to decide.'
  }
  const verb = open.length === 1 ? 'is' : 'are'
  const consequence = verdict === 'APPROVE' ? ', which does not block the change' : ''
  const rest = unread === null ? consequence : `, and ${unread}`
  const needsPerson = ends.includes('needs_person') && !ends.includes('changes_requested')
  const decider = needsPerson ? describeDecider(open) : ''
  return `${listCounts(counts)} ${verb} open${rest}.${decider}`
}

/** Says what to do next and what the check does. Only open pull requests have something to do. */
export function describeNextStep(review: ExplainedReview): string {
  if (review.pr_status !== 'open') return ''
  return [describeRemedy(review), describeCheck(review)].filter((text) => text !== '').join(' ')
}

/** Describes how many findings a review left that has a newer one. */
export function describeFormerVerdict(open: number | null): string {
  const left = open === null ? '' : `It left ${open} open ${open === 1 ? 'finding' : 'findings'}. `
  return `${left}The findings below are shown as they are now.`
}

function openFindings({ findings }: Pick<ReviewDetail, 'findings'>) {
  return findings.filter(({ state }) => state === 'open')
}

/** Says what was not reviewed, as a clause; null if the review is complete. */
function describeUnread({ ends, coverage, decision }: ExplainedReview): string | null {
  if (!ends.includes('incomplete') && coverage?.complete !== false) return null
  return decision?.isDraft === true
    ? 'rules alone reviewed this draft'
    : 'part of the change was not reviewed'
}

/** Says why findings that don't request changes still keep a review from passing. */
function describeDecider(open: readonly Finding[]): string {
  const kinds = [
    ...(open.some(({ severity, verified }) => severity === 'moderate' && verified)
      ? ['moderate']
      : []),
    ...(open.every(({ verified }) => verified) ? [] : ['unconfirmed']),
  ]
  if (kinds.length === 0) return ''
  return ` A person decides whether ${joinWith('disjunction', kinds)} findings have to be fixed.`
}

/** Returns text such as `2 critical and 3 moderate findings`. */
function listCounts(counts: readonly SeverityCount[]): string {
  const listed = counts.map(({ severity, count }) => `${count} ${severity}`)
  const noun = counts.at(-1)!.count === 1 ? 'finding' : 'findings'
  return `${joinWith('conjunction', listed)} ${noun}`
}

function joinWith(type: 'conjunction' | 'disjunction', items: readonly string[]): string {
  return new Intl.ListFormat('en', { type }).format(items)
}

/** Says how the rest gets reviewed. Warnings say it themselves. */
function describeRemedy(review: ExplainedReview): string {
  if (describeUnread(review) === null || review.warnings.length > 0) return ''
  if (review.decision?.isDraft === true) return 'Mark it as ready to have all of it reviewed.'
  return 'Coverage lists what is missing and why. When the cause is gone, select Review again.'
}

/** Says whether the check blocks merging, and until when. */
function describeCheck(review: ExplainedReview): string {
  const { ends, decision } = review
  const other = readNumber(decision?.other)
  if (other !== null)
    return `The check fails because of the review of #${other}, which has the same head.`
  if (ends.includes('passed')) return 'The check passes.'
  if (ends.includes('skipped') || ends.length === 0) return describeSkipCheck(review)
  if (!ends.some((end) => isGated(review, end))) {
    const names = joinWith(
      'disjunction',
      ends.map((end) => `\`${end}\``),
    )
    return `The check does not block merging, because the \`gate\` setting does not list ${names}.`
  }
  const conditions = listConditions(review)
  if (conditions.length === 0) return ''
  return `The check fails until ${joinWith('conjunction', conditions)}. ${required}`
}

const required = 'Where the check is required, this blocks merging.'

/** A skip blocks by its reason and not by the settings alone. */
function describeSkipCheck({ decision }: ExplainedReview): string {
  if (decision?.blocks === true) return `The check fails until it is reviewed. ${required}`
  return decision?.blocks === false ? 'The check does not block merging.' : ''
}

function readNumber(other: unknown): number | null {
  const { number = null } = (other ?? {}) as { number?: number | null }
  return number
}

/** Lists what has to happen until the check passes. */
function listConditions(review: ExplainedReview): string[] {
  const open = openFindings(review)
  const blocking = open.filter((finding) => isBlocking(review, finding))
  return [
    ...(blocking.length === 0 ? [] : [`${nameBlocking(open, blocking)} fixed or dismissed`]),
    ...(isGated(review, 'incomplete') ? ['all that matters is reviewed'] : []),
  ]
}

function nameBlocking(open: readonly Finding[], blocking: readonly Finding[]): string {
  const isAll = blocking.length === open.length
  const [only] = blocking
  if (only && blocking.length === 1) return isAll ? 'it is' : `the ${only.severity} finding is`
  return isAll ? `all ${blocking.length} are` : `the ${listCounts(countBySeverity(blocking))} are`
}

/** Whether this end applies, and the repository's settings block it. */
function isGated({ ends, decision }: ExplainedReview, end: ReviewEnd): boolean {
  const gate: readonly unknown[] = Array.isArray(decision?.gate) ? decision.gate : []
  return ends.includes(end) && gate.includes(end)
}

/** Whether a finding leads to an end that the repository's settings block. */
function isBlocking(review: ExplainedReview, { severity, verified }: Finding): boolean {
  if (!verified) return isGated(review, 'needs_person')
  if (severity === 'critical') return isGated(review, 'changes_requested')
  const requestsChanges = review.decision?.moderateMeans === 'REQUEST_CHANGES'
  const end = requestsChanges ? 'changes_requested' : 'needs_person'
  return severity === 'moderate' && isGated(review, end)
}
