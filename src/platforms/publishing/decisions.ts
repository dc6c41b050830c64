// Finds our decisions among the reviews of a pull request, chooses which one to post, and withdraws
// them.
import { isRefusal } from '../../domain/errors.ts'
import type { Decision } from '../../domain/review.ts'
import type { DecisionsToWithdraw } from '../platform.ts'
import { createOnce } from './create-once.ts'
import type { Account, PostedReview, ReviewToPost } from './review-calls.ts'

/**
 * Ends the text of each decision, because a person whose token is used may decide with the same
 * account. When we withdraw it, `withdrawnMarker` replaces it, or is in the message of the
 * dismissal: hosts don't show who dismissed a review.
 */
export const decisionMarker = '<!-- umpire:decision -->'
const withdrawnMarker = '<!-- umpire:decision withdrawn -->'

/** Returns the reviews of this account on a pull request, starting with the oldest. */
export async function listOwnReviews({ calls, viewer }: Account): Promise<PostedReview[]> {
  return (await calls.listReviews()).filter(({ authorId }) => authorId === viewer.id)
}

/**
 * Chooses the event to post for a decision. A request for changes holds on later heads too.
 *
 * @param reviews those of this account
 * @returns `holds` is whether the decision holds once the event was posted
 */
export function chooseEvent(
  reviews: readonly PostedReview[],
  { decision, headSha }: { decision: Decision; headSha: string },
): { event: ReviewToPost['event']; holds: boolean } {
  const decisions = reviews.filter(({ state }) => state !== 'comment' && state !== 'pending')
  const ours = decisions.findLast(isOurs)
  const isOfHead = ours?.headSha === headSha
  if (isByHand(decisions.at(-1)) || (isOfHead && isOverruled(ours))) {
    return { event: 'comment', holds: false }
  }
  const isPosted = ours?.state === decision
  const isEnough = isPosted && (isOfHead || decision === 'request_changes')
  return { event: isEnough ? 'comment' : decision, holds: true }
}

/** Whether the person whose token it is decided with the same account. */
function isByHand(review: PostedReview | undefined): boolean {
  return review !== undefined && !isOurs(review) && review.state !== 'dismissed'
}

/** Whether somebody else dismissed it. Then it must not be posted again on the same head. */
function isOverruled({ state, body, dismissal }: PostedReview): boolean {
  return state === 'dismissed' && ![body, dismissal].some((text) => text.includes(withdrawnMarker))
}

/**
 * The marker is enough to withdraw a review of a former account of ours. A person who copies it
 * only withdraws their own decision.
 */
function isOurs({ body }: PostedReview): boolean {
  return body.includes(decisionMarker) || body.includes(withdrawnMarker)
}

interface Withdrawal extends Account {
  readonly withdrawal: DecisionsToWithdraw
}

/** Implements `Platform.withdrawDecisions`. */
export async function withdrawDecisions(task: Withdrawal): Promise<Decision | null> {
  const { decisions } = task.withdrawal
  const standing: PostedReview[] = []
  for (const review of (await task.calls.listReviews()).filter(isOurs)) {
    const { state } = review
    if (state !== 'approve' && state !== 'request_changes') continue
    if (!(decisions.includes(state) && (await dismiss(task, review)))) standing.push(review)
  }
  if (!standing.some(({ state }) => state === 'approve')) {
    return standing.length > 0 ? 'request_changes' : null
  }
  // Only a request of this account is certainly ours: anyone can copy the marker into theirs.
  const own = standing.findLast(({ authorId }) => authorId === task.viewer.id)
  if (own?.state === 'request_changes') return 'request_changes'
  if (!decisions.includes('approve')) return 'approve'
  await replaceApproval(task)
  return 'request_changes'
}

/** Resolves to false if it was refused, as where a branch restricts who may dismiss. */
async function dismiss(task: Withdrawal, review: PostedReview): Promise<boolean> {
  const { calls, viewer, withdrawal } = task
  // It is marked first: a dismissed review without the marker counts as dismissed by a person.
  const body = review.body.replace(decisionMarker, withdrawnMarker)
  const isOwn = review.authorId === viewer.id
  if (isOwn && body !== review.body) await calls.editReview?.(review.id, body)
  const mark = calls.editReview === null ? `\n\n${withdrawnMarker}` : ''
  try {
    await calls.dismissReview(review.id, withdrawal.reason + mark)
    return true
  } catch (error) {
    if (!isRefusal(error)) throw error
    // Somebody else may have dismissed it meanwhile.
    const current = (await calls.listReviews()).find(({ id }) => id === review.id)
    return current?.state === 'dismissed'
  }
}

/** The latest decision of an account is the one that counts. */
async function replaceApproval(task: Withdrawal): Promise<void> {
  const { calls, withdrawal, signal } = task
  const why = `${task.platform} didn't let the approval be dismissed, so this replaces it.`
  const body = `${withdrawal.reason} ${why}\n\n${decisionMarker}`
  const post = async () => {
    await calls.postReview({ headSha: null, event: 'request_changes', body, comments: [] })
    return true
  }
  const find = async () => {
    const last = (await listOwnReviews(task)).findLast(isOurs)
    return last?.state === 'request_changes' || undefined
  }
  await createOnce(post, find, { signal })
}
