// Routes of reviews, their comments and threads.
import { permits } from '../access.ts'
import type { InlineComment, PendingReview, PullRequest, Review, User } from '../entities.ts'
import type { ForgeResponse } from '../http.ts'
import { dismissReview, removeInlineComment, setResolved } from '../reviews.ts'
import { announceChange, listVisible, nextId, now } from '../state.ts'
import {
  answer,
  answerPage,
  empty,
  failed,
  notFound,
  type RepositoryCall,
  type Route,
  readBody,
  refuse,
  requireUser,
} from './host.ts'
import { makeComment, type NewComment, pendingOf, submitReview } from './post-review.ts'
import { shapeInlineComment, shapeRequest, shapeReview } from './shape-pulls.ts'

export const reviewRoutes: readonly Route<RepositoryCall>[] = [
  ['GET', '/pulls/:number/reviews', listReviews],
  ['POST', '/pulls/:number/reviews', createReview],
  ['GET', '/pulls/:number/reviews/:id', showReview],
  ['POST', '/pulls/:number/reviews/:id', submitPending],
  ['DELETE', '/pulls/:number/reviews/:id', deleteReview],
  ['GET', '/pulls/:number/reviews/:id/comments', listComments],
  ['POST', '/pulls/:number/reviews/:id/comments', addComment],
  ['GET', '/pulls/:number/reviews/:id/comments/:comment', showComment],
  ['DELETE', '/pulls/:number/reviews/:id/comments/:comment', deleteComment],
  ['POST', '/pulls/:number/reviews/:id/dismissals', dismiss],
  ['POST', '/pulls/:number/reviews/:id/undismissals', undismiss],
  ['POST', '/pulls/comments/:id/resolve', (call) => resolve(call, true)],
  ['POST', '/pulls/comments/:id/unresolve', (call) => resolve(call, false)],
  // Addresses that GitHub has are known here for other methods, which the documentation doesn't say.
  ['POST', '/pulls/:number/comments', () => empty(405)],
  ['POST', '/pulls/:number/comments/:id/replies', () => empty(405)],
]

/** The pull request of a route of reviews, whose 404 is another one than that of a pull request. */
function reviewedPull(call: RepositoryCall): PullRequest {
  const pull = call.repository.pulls.get(Number(call.parameters.number))
  if (pull !== undefined) return pull
  const ids = `head_repo_id: 0, base_repo_id: ${call.repository.id}, head_branch: , base_branch: `
  const error = `pull request does not exist [id: 0, issue_id: 0, ${ids}]`
  throw notFound(call, 'GetPullRequestByIndex', error)
}

interface Found {
  readonly pull: PullRequest
  readonly review: Review
  /** Null where it was submitted. */
  readonly pending: PendingReview | null
}

function findReview(call: RepositoryCall): Found {
  const pull = reviewedPull(call)
  const { id } = call.parameters
  const pending = pull.pendingReviews.find(
    ({ review }) => String(review.id) === id && review.author === call.request.token?.user,
  )
  if (pending !== undefined) return { pull, pending, review: pending.review }
  const review = pull.reviews.find((one) => String(one.id) === id)
  if (review === undefined)
    throw notFound(call, 'GetReviewByID', `review does not exist [id: ${Number(id) || 0}]`)
  return { pull, review, pending: null }
}

const shapeFound = (call: RepositoryCall, { pending, pull, review }: Found) =>
  shapeReview(call, pull, review, pending?.comments ?? null)

/** The ids of requests for reviews, which are listed as reviews. */
const requestIds = new WeakMap<PullRequest, Map<User, number>>()

function requestId(call: RepositoryCall, pull: PullRequest, user: User): number {
  const ids = requestIds.get(pull) ?? new Map<User, number>()
  requestIds.set(pull, ids)
  const id = ids.get(user) ?? nextId(call.state)
  ids.set(user, id)
  return id
}

/** Lists those of all, the pending one of the caller, and requests for reviews. */
function listReviews(call: RepositoryCall): Promise<ForgeResponse> {
  const pull = reviewedPull(call)
  const pending = pull.pendingReviews.filter(
    ({ review }) => review.author === call.request.token?.user,
  )
  const found: Found[] = [
    ...listVisible(call.state, pull.reviews).map((review) => ({ pull, review, pending: null })),
    ...pending.map((one) => ({ pull, review: one.review, pending: one })),
  ]
  const requests = pull.requestedReviewers.map((user) =>
    shapeRequest(call, pull, user, requestId(call, pull, user)),
  )
  const shapes = [...found.map((one) => shapeFound(call, one)), ...requests]
  shapes.sort((one, other) => Number(one.id) - Number(other.id))
  return answerPage(call, shapes, (shape) => shape)
}

function showReview(call: RepositoryCall): ForgeResponse {
  return answer(200, shapeFound(call, findReview(call)))
}

/** The events that submit; all others leave the review pending, `APPROVE` too. */
const verdicts: Readonly<Record<string, Review['state']>> = {
  APPROVED: 'APPROVED',
  COMMENT: 'COMMENTED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
}

interface Content {
  readonly body: string
  readonly comments: number
}

/** Returns what an event makes of a review; null for one that stays pending. */
function readVerdict(
  call: RepositoryCall,
  pull: PullRequest,
  event: string,
  content: Content,
): Review['state'] | null {
  const kind = verdicts[event] ?? null
  const verb = kind === 'APPROVED' ? 'approve' : 'reject'
  const decides = kind !== null && kind !== 'COMMENTED'
  if (decides && pull.author === call.request.token?.user)
    throw refuse(call, 422, `${verb} your own pull is not allowed`)
  const problem = contentProblem(kind, content)
  if (problem !== null) throw refuse(call, 422, `review event ${event} requires ${problem}`)
  return kind
}

/** Comments are enough for a review that only comments, and help no other one. */
function contentProblem(kind: Review['state'] | null, content: Content): string | null {
  if (kind === 'APPROVED' || content.body.trim() !== '') return null
  if (kind !== 'COMMENTED') return 'a body'
  return content.comments === 0 ? 'a body or a comment' : null
}

const text = (value: unknown) => (typeof value === 'string' ? value : '')
const integer = (value: unknown) => (Number.isInteger(value) ? (value as number) : 0)

function readComment(value: unknown): NewComment {
  const { body, new_position, old_position, path } = (value ?? {}) as Record<string, unknown>
  return {
    ...{ body: text(body), path: text(path) },
    ...{ newLine: integer(new_position), oldLine: integer(old_position) },
  }
}

/**
 * Posts a review. It isn't atomic: where a comment fails, the answer is 500, and the comments
 * before it stay in a pending review, which the next review of the account contains too.
 */
async function createReview(call: RepositoryCall): Promise<ForgeResponse> {
  const author = requireUser(call)
  const pull = reviewedPull(call)
  const body = readBody(call)
  const comments = Array.isArray(body.comments) ? body.comments.map(readComment) : []
  const content = { body: text(body.body), comments: comments.length }
  const event = text(body.event)
  const kind = readVerdict(call, pull, event, content)
  const commitId = text(body.commit_id) || pull.headSha
  const pending = pendingOf(call, pull, author, commitId)
  await addComments(call, pull, pending, comments)
  if (kind === null) {
    pending.review.body = content.body
    announceChange(call.state)
    return answer(200, shapeReview(call, pull, pending.review, pending.comments))
  }
  refuseVerdictOnClosed(call, pull, kind)
  const review = submitReview(call, pull, pending, { kind, body: content.body, commitId })
  return answer(200, shapeReview(call, pull, review))
}

async function addComments(
  call: RepositoryCall,
  pull: PullRequest,
  pending: PendingReview,
  inputs: readonly NewComment[],
): Promise<void> {
  const { review } = pending
  for (const input of inputs) {
    const comment = await makeComment(call, pull, review, review.author, input)
    if (comment === null) throw failed(call)
    pending.comments.push(comment)
  }
}

function refuseVerdictOnClosed(
  call: RepositoryCall,
  pull: PullRequest,
  kind: Review['state'],
): void {
  if (kind === 'COMMENTED' || pull.state === 'open' || !call.profile.refusesVerdictOnClosed) return
  throw refuse(call, 422, "can't submit review for a closed or merged PR")
}

async function submitPending(call: RepositoryCall): Promise<ForgeResponse> {
  requireUser(call)
  const { pending, pull, review } = findReview(call)
  if (pending === null) throw refuse(call, 422, 'only a pending review can be submitted')
  const body = readBody(call)
  const content = { body: text(body.body), comments: pending.comments.length }
  const kind = readVerdict(call, pull, text(body.event), content)
  if (kind === null) throw refuse(call, 422, 'review stay pending')
  refuseVerdictOnClosed(call, pull, kind)
  const input = { kind, body: content.body, commitId: review.commitId }
  return answer(200, shapeReview(call, pull, submitReview(call, pull, pending, input)))
}

/** Deletes a review with its comments, for its author alone. Nothing is delivered. */
function deleteReview(call: RepositoryCall): ForgeResponse {
  const user = requireUser(call)
  const { pull, review } = findReview(call)
  // This is what the real ones say.
  if (review.author !== user) throw refuse(call, 403, '%!s(<nil>)')
  pull.pendingReviews = pull.pendingReviews.filter((one) => one.review !== review)
  const index = pull.reviews.indexOf(review)
  if (index >= 0) pull.reviews.splice(index, 1)
  pull.inlineComments = pull.inlineComments.filter((one) => one.reviewId !== review.id)
  announceChange(call.state)
  return empty(204)
}

const commentsOf = ({ pending, pull, review }: Found): readonly InlineComment[] =>
  pending?.comments ?? pull.inlineComments.filter((one) => one.reviewId === review.id)

/**
 * Lists all comments of a review without pages. The real ones list files, and lines in a file, in
 * an order by chance; here the files come in reverse.
 */
function listComments(call: RepositoryCall): ForgeResponse {
  const found = findReview(call)
  const comments = listVisible(call.state, commentsOf(found))
  const paths = [...new Set(comments.map(({ original }) => original.path))].reverse()
  const ordered = paths.flatMap((path) => comments.filter((one) => one.original.path === path))
  const shapes = ordered.map((comment) => shapeInlineComment(call, found.pull, comment))
  return answer(200, shapes)
}

/** Adds a comment to a review of anybody, as a reply of the caller. Nothing is delivered. */
async function addComment(call: RepositoryCall): Promise<ForgeResponse> {
  if (!call.profile.hasReviewCommentRoutes) return empty(405)
  const author = requireUser(call)
  const { pending, pull, review } = findReview(call)
  const comment = await makeComment(call, pull, review, author, readComment(readBody(call)))
  if (comment === null) throw failed(call)
  const list = pending?.comments ?? pull.inlineComments
  list.push(comment)
  pull.updatedAt = now(call.state)
  announceChange(call.state)
  return answer(200, shapeInlineComment(call, pull, comment))
}

function findComment(call: RepositoryCall): { found: Found; comment: InlineComment } {
  if (!call.profile.hasReviewCommentRoutes) throw notFound(call)
  const found = findReview(call)
  const comment = commentsOf(found).find(({ id }) => String(id) === call.parameters.comment)
  if (comment === undefined) throw notFound(call)
  return { found, comment }
}

function showComment(call: RepositoryCall): ForgeResponse {
  const { comment, found } = findComment(call)
  return answer(200, shapeInlineComment(call, found.pull, comment))
}

function deleteComment(call: RepositoryCall): ForgeResponse {
  if (!call.profile.hasReviewCommentRoutes) return empty(405)
  const user = requireUser(call)
  const { comment, found } = findComment(call)
  if (comment.author !== user && !permits(call.permission, 'write')) return empty(403)
  removeInlineComment(call.state, found.pull, comment, user)
  return empty(204)
}

/** Administrators alone dismiss, although the documentation says nothing of it. */
function requireDismisser(call: RepositoryCall): User {
  const user = requireUser(call)
  if (!permits(call.permission, 'admin')) throw refuse(call, 403, 'Must be repo admin')
  return user
}

/** Dismisses a review, with or without a message. */
function dismiss(call: RepositoryCall): ForgeResponse {
  const user = requireDismisser(call)
  const found = findReview(call)
  const { pull, review } = found
  if ((review.formerState ?? review.state) === 'COMMENTED') {
    const message =
      "not need to dismiss this review because it's type is not Approve or change request"
    throw refuse(call, 403, message)
  }
  const { message } = readBody(call)
  if (review.state !== 'DISMISSED') dismissReview(call.state, pull, review, user, text(message))
  return answer(200, shapeFound(call, found))
}

function undismiss(call: RepositoryCall): ForgeResponse {
  requireDismisser(call)
  const found = findReview(call)
  const { review } = found
  if (review.formerState !== null) review.state = review.formerState
  review.formerState = null
  announceChange(call.state)
  return answer(200, shapeFound(call, found))
}

/** Resolves the thread of a comment, for those who can write and the author of the pull request. */
function resolve(call: RepositoryCall, resolved: boolean): ForgeResponse {
  if (!call.profile.resolvesThreads) return empty(405)
  const user = requireUser(call)
  const { id } = call.parameters
  for (const pull of call.repository.pulls.values()) {
    const comment = pull.inlineComments.find((one) => String(one.id) === id)
    if (comment === undefined) continue
    if (!permits(call.permission, 'write') && pull.author !== user)
      throw refuse(call, 403, 'user should have permission to resolve comment')
    setResolved(call.state, pull, comment, user, resolved)
    return empty(204)
  }
  const error = `comment does not exist [id: ${Number(id) || 0}, issue_id: 0]`
  throw notFound(call, 'GetCommentByID', error)
}
