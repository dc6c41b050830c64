// Finds our decisions among the reviews of a pull request, chooses which one to post, and withdraws
// them.
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type { Decision } from '../../domain/review.ts'
import type { Access, DecisionsToWithdraw, Viewer } from '../platform.ts'
import { createOnce } from './create-once.ts'
import { longItemPageSize, readPages } from './read-pages.ts'
import { buildRepositoryCall } from './repository-calls.ts'
import { type Connection, send } from './request.ts'

export type ReviewEvent = 'COMMENT' | 'APPROVE' | 'REQUEST_CHANGES'

const reviewEvents: Readonly<Record<Decision, ReviewEvent>> = {
  approve: 'APPROVE',
  request_changes: 'REQUEST_CHANGES',
}

/** The state that GitHub gives to a review posted with each event. */
export const postedStates: Readonly<Record<ReviewEvent, string>> = {
  COMMENT: 'COMMENTED',
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
}

/** The states of reviews that approve or block; a comment never does, whatever its text. */
const holdingStates = [postedStates.APPROVE, postedStates.REQUEST_CHANGES]

/**
 * Ends the text of each decision, because a person whose token is used may decide with the same
 * account. When we withdraw it, `withdrawnMarker` replaces it: GitHub doesn't show who dismissed a
 * review.
 */
export const decisionMarker = '<!-- umpire:decision -->'
const withdrawnMarker = '<!-- umpire:decision withdrawn -->'

const postedReview = z.object({
  id: z.int(),
  state: z.string(),
  body: z.string().catch(''),
  commit_id: z.string().nullish(),
  user: z.object({ id: z.int() }).nullish(),
})
type PostedReview = z.output<typeof postedReview>

interface Account {
  readonly connection: Connection
  readonly access: Access
  readonly viewer: Viewer
  readonly signal: AbortSignal | undefined
}

/** Returns the reviews of this account on a pull request, starting with the oldest. */
export async function listOwnReviews(account: Account, number: number): Promise<PostedReview[]> {
  const all = await listReviews(account, number)
  return all.filter((review) => isByViewer(account, review))
}

function isByViewer({ viewer }: Account, { user }: PostedReview): boolean {
  return String(user?.id) === viewer.id
}

async function listReviews(
  { connection, access, signal }: Account,
  number: number,
): Promise<PostedReview[]> {
  const call = buildRepositoryCall(access, `/pulls/${number}/reviews`, signal)
  return Array.fromAsync(readPages(connection, call, postedReview, longItemPageSize))
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
): { event: ReviewEvent; holds: boolean } {
  const decisions = reviews.filter(({ state }) => state !== 'COMMENTED' && state !== 'PENDING')
  const ours = decisions.findLast(isOurs)
  const isOfHead = ours?.commit_id === headSha
  if (isByHand(decisions.at(-1)) || (isOfHead && isOverruled(ours))) {
    return { event: 'COMMENT', holds: false }
  }
  const event = reviewEvents[decision]
  const isPosted = ours?.state === postedStates[event]
  const isEnough = isPosted && (isOfHead || decision === 'request_changes')
  return { event: isEnough ? 'COMMENT' : event, holds: true }
}

/** Whether the person whose token it is decided with the same account. */
function isByHand(review: PostedReview | undefined): boolean {
  return review !== undefined && !isOurs(review) && review.state !== 'DISMISSED'
}

/** Whether somebody else dismissed it. Then it must not be posted again on the same head. */
function isOverruled({ state, body }: PostedReview): boolean {
  return state === 'DISMISSED' && !body.includes(withdrawnMarker)
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
  const { decisions, number } = task.withdrawal
  const states = decisions.map((decision) => postedStates[reviewEvents[decision]])
  const standing: PostedReview[] = []
  for (const review of (await listReviews(task, number)).filter(isOurs)) {
    const isDue = states.includes(review.state)
    if (holdingStates.includes(review.state) && !(isDue && (await dismiss(task, review))))
      standing.push(review)
  }
  if (!standing.some(({ state }) => state === postedStates.APPROVE)) {
    return standing.length > 0 ? 'request_changes' : null
  }
  // Only a request of this account is certainly ours: anyone can copy the marker into theirs.
  const own = standing.findLast((review) => isByViewer(task, review))
  if (own?.state === postedStates.REQUEST_CHANGES) return 'request_changes'
  if (!states.includes(postedStates.APPROVE)) return 'approve'
  await replaceApproval(task)
  return 'request_changes'
}

/** Resolves to false if GitHub refused it, as it does where a branch restricts who may dismiss. */
async function dismiss(task: Withdrawal, review: PostedReview): Promise<boolean> {
  const path = `/${review.id}`
  // It is marked first: a dismissed review without the marker counts as dismissed by a person.
  const body = review.body.replace(decisionMarker, withdrawnMarker)
  if (isByViewer(task, review) && body !== review.body) await write(task, 'PUT', path, { body })
  try {
    const { reason: message } = task.withdrawal
    await write(task, 'PUT', `${path}/dismissals`, { message, event: 'DISMISS' })
    return true
  } catch (error) {
    if (!isRefusal(error)) throw error
    // Somebody else may have dismissed it meanwhile.
    const current = (await listReviews(task, task.withdrawal.number)).find(
      ({ id }) => id === review.id,
    )
    return current?.state === 'DISMISSED'
  }
}

/** The latest decision of an account is the one that counts. */
async function replaceApproval(task: Withdrawal): Promise<void> {
  const { number, reason } = task.withdrawal
  const text = `${reason} GitHub didn't let the approval be dismissed, so this replaces it.`
  const body = `${text}\n\n${decisionMarker}`
  const post = async () => {
    await write(task, 'POST', '', { event: 'REQUEST_CHANGES', body })
    return true
  }
  const find = async () => {
    const last = (await listOwnReviews(task, number)).findLast(isOurs)
    return last?.state === postedStates.REQUEST_CHANGES || undefined
  }
  await createOnce(post, find, { signal: task.signal })
}

async function write(
  { connection, access, signal, withdrawal }: Withdrawal,
  method: 'POST' | 'PUT',
  path: string,
  body: object,
): Promise<void> {
  const { beforeWrite, number } = withdrawal
  const write = { method, body, beforeWrite }
  const address = `/pulls/${number}/reviews${path}`
  await send(connection, buildRepositoryCall(access, address, signal, write))
}

function isRefusal(error: unknown): boolean {
  const codes = ['platform_forbidden', 'platform_not_found', 'platform_refused']
  return error instanceof PlatformError && codes.includes(error.code)
}
