// Renders what the check on the reviewed commit shows: its state, title, summary and annotations.
import type { Finding } from '../../domain/finding.ts'
import type { Review } from '../../domain/review.ts'
import type { Check, CheckButton } from '../../platforms/platform.ts'
import type { BlockingReview } from '../../work/blocking-review.ts'
import { redactFindings } from './redact-review.ts'
import { renderStatus } from './render-summary.ts'

export const checkName = 'umpire/review'

const reviewAgain: CheckButton = {
  request: 'review',
  label: 'Review again',
  description: 'Review this commit from the beginning',
}

const dismissMinor: CheckButton = {
  request: 'dismiss_minor',
  label: 'Dismiss all minor',
  description: 'Dismiss the open minor findings',
}

type RenderedCheck = Pick<Check, 'state' | 'title' | 'summary' | 'annotations' | 'buttons'>

/**
 * @param input `otherBlockingReview` overrides a review that doesn't block, because a commit has
 *   one check for all of its pull requests; `body` is the posted summary of the review
 */
export function renderCheck(
  review: Review,
  input: {
    readonly otherBlockingReview: BlockingReview | null
    readonly body: string
    /** Our own, which are redacted. */
    readonly secrets: readonly string[]
  },
): RenderedCheck {
  const { otherBlockingReview: other, body, secrets } = input
  const isOverridden = other !== null && !review.blocks
  const title = renderStatus(review, other)
  const hasMinor = review.findings.some(({ severity }) => severity === 'minor')
  return {
    state: isOverridden ? stateOfOther(other) : { end: review.ends[0]!, blocks: review.blocks },
    title,
    summary: isOverridden ? `**${title}.**\n\n${body}` : body,
    annotations: redactFindings(review.findings.filter(isShownAtLines), secrets),
    buttons: hasMinor ? [reviewAgain, dismissMinor] : [reviewAgain],
  }
}

/** What the check shows if another pull request blocks its commit. */
export function stateOfOther({ end }: BlockingReview): Check['state'] {
  return end === 'pending' ? end : { end, blocks: true }
}

/** The summary lists the others: suppressed findings, and those without a line at the head. */
function isShownAtLines({ placement, removed, side }: Finding): boolean {
  return placement !== 'held_back' && removed !== true && side === 'RIGHT'
}

/** What the check shows while there is no review to show. Hosts show its title as plain text. */
export function renderCheckProgress(state: Check['state'], text: string): RenderedCheck {
  const buttons = state === 'pending' ? [] : [reviewAgain]
  return { state, title: text.replaceAll('`', ''), summary: text, annotations: [], buttons }
}
