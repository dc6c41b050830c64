// REST routes of reviews and inline comments.

import { accountPermission, permits } from './access.ts'
import type { InlineComment, PullRequest, Review } from './entities.ts'
import {
  type ForgeResponse,
  invalid,
  json,
  jsonBody,
  noContent,
  notFound,
  paginate,
  type Refusal,
  refuse,
} from './http.ts'
import { readCommentBody, requireAuthor } from './rest-comments.ts'
import { findPull } from './rest-pulls.ts'
import {
  dismissReview,
  editInlineComment,
  type NewInlineComment,
  postReview,
  type ReviewProblem,
  removeInlineComment,
  replyToInlineComment,
} from './reviews.ts'
import { type RepositoryCall, type Route, requirePermission, requireUser } from './routes.ts'
import { shapeInlineComment, shapeReview } from './shapes.ts'
import { announceChange, listVisible } from './state.ts'

export const reviewRoutes: readonly Route[] = [
  ['GET', '/pulls/:number/reviews', listReviews],
  ['POST', '/pulls/:number/reviews', createReview],
  ['GET', '/pulls/:number/reviews/:review', showReview],
  ['PUT', '/pulls/:number/reviews/:review', updateReview],
  ['PUT', '/pulls/:number/reviews/:review/dismissals', dismiss],
  ['GET', '/pulls/:number/reviews/:review/comments', listReviewComments],
  ['GET', '/pulls/:number/comments', listInlineComments],
  ['POST', '/pulls/:number/comments', createInlineComment],
  ['POST', '/pulls/:number/comments/:id/replies', createReply],
  ['GET', '/pulls/comments', listAllInlineComments],
  ['GET', '/pulls/comments/:id', showInlineComment],
  ['PATCH', '/pulls/comments/:id', updateInlineComment],
  ['DELETE', '/pulls/comments/:id', deleteInlineComment],
]

const events: Record<string, Review['state']> = {
  COMMENT: 'COMMENTED',
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
}

/** GitHub's messages for a review, which name the kind of problem but not the comment. */
const reviewProblems: Record<ReviewProblem, string> = {
  commit: 'The commitOID is not part of the pull request',
  path: 'Path could not be resolved',
  line: 'Line could not be resolved',
  start_line_order: 'Pull request review thread start line must precede the end line.',
  start_line_hunk:
    'Pull request review thread start line must be part of the same hunk as the line.',
}

function unprocessable(...errors: string[]): Refusal {
  return refuse(422, 'Unprocessable Entity', errors)
}

/**
 * Creates a review with all its comments or none. Pending reviews (without an event) aren't
 * supported.
 */
async function createReview(call: RepositoryCall): Promise<ForgeResponse> {
  const pull = findPull(call)
  const author = requireUser(call.request)
  const { state, text, commitId, newComments } = readNewReview(call)
  if (author.id === pull.author.id && state !== 'COMMENTED') {
    throw unprocessable(
      `Can not ${state === 'APPROVED' ? 'approve' : 'request changes on'} your own pull request`,
    )
  }
  for (const long of [text, ...newComments.map((comment) => comment.body)])
    requireLength(call, long)
  const posted = await postReview(call.state, pull, {
    author,
    state,
    body: text,
    commitId: commitId ?? pull.headSha,
    comments: newComments,
  })
  if (Array.isArray(posted))
    throw unprocessable(...new Set(posted.map((problem) => reviewProblems[problem])))
  return json(200, shapeReview(call.state, pull, posted.review))
}

function readNewReview(call: RepositoryCall) {
  const { body, event, commit_id: commitId, comments } = jsonBody(call.request)
  const state = events[String(event)]
  if (state === undefined)
    throw unprocessable('Variable $event of type PullRequestReviewEvent was provided invalid value')
  const text = typeof body === 'string' ? body : ''
  const newComments = (Array.isArray(comments) ? comments : []).map((comment) =>
    readNewComment(comment),
  )
  if (text.trim() === '' && newComments.length === 0 && state !== 'APPROVED')
    throw unprocessable("Review body can't be blank")
  return { state, text, commitId: typeof commitId === 'string' ? commitId : null, newComments }
}

function requireLength(call: RepositoryCall, text: string): void {
  const { commentLength } = call.state.limits
  if (text.length > commentLength)
    throw unprocessable(`Body is too long (maximum is ${commentLength} characters)`)
}

/** A comment in a request, of a review or alone. The default side is `RIGHT`. */
function readNewComment(value: unknown): NewInlineComment {
  const {
    path,
    body,
    line,
    side,
    start_line: startLine,
    start_side: startSide,
  } = value as Record<string, unknown>
  if (typeof path !== 'string') throw unprocessable("Path can't be blank")
  if (typeof body !== 'string' || body.trim() === '') throw unprocessable("Body can't be blank")
  if (!Number.isInteger(line)) throw unprocessable('Line could not be resolved')
  return {
    path,
    body,
    line: line as number,
    side: readSide(side) ?? 'RIGHT',
    startLine: Number.isInteger(startLine) ? (startLine as number) : null,
    startSide: readSide(startSide),
  }
}

function readSide(value: unknown): 'LEFT' | 'RIGHT' | null {
  if (value === undefined || value === null) return null
  if (value === 'LEFT' || value === 'RIGHT') return value
  throw unprocessable(`Side ${JSON.stringify(value)} is not a member of ["LEFT", "RIGHT"]`)
}

function listReviews(call: RepositoryCall): ForgeResponse {
  const pull = findPull(call)
  const [page, headers] = paginate(
    call.request,
    call.address,
    listVisible(call.state, pull.reviews),
  )
  const shapes = page.map((review) => shapeReview(call.state, pull, review))
  return json(200, shapes, headers)
}

function findReview(call: RepositoryCall, pull: PullRequest): Review {
  const review = pull.reviews.find((candidate) => String(candidate.id) === call.parameters.review)
  if (review === undefined) throw notFound()
  return review
}

function showReview(call: RepositoryCall): ForgeResponse {
  const pull = findPull(call)
  return json(200, shapeReview(call.state, pull, findReview(call, pull)))
}

function updateReview(call: RepositoryCall): ForgeResponse {
  const pull = findPull(call)
  const review = findReview(call, pull)
  requireAuthor(call, review.author)
  review.body = readCommentBody(call, 'PullRequestReview')
  announceChange(call.state)
  return json(200, shapeReview(call.state, pull, review))
}

function listReviewComments(call: RepositoryCall): ForgeResponse {
  const pull = findPull(call)
  const review = findReview(call, pull)
  return answerComments(
    call,
    pull,
    pull.inlineComments.filter((comment) => comment.reviewId === review.id),
  )
}

function listInlineComments(call: RepositoryCall): ForgeResponse {
  const pull = findPull(call)
  const all = [...pull.inlineComments]
  if (call.request.query.get('direction') === 'desc' && call.request.query.has('sort'))
    all.reverse()
  return answerComments(call, pull, all)
}

/** Lists the comments on lines of all pull requests that changed since a time. */
function listAllInlineComments(call: RepositoryCall): ForgeResponse {
  const since = call.request.query.get('since') ?? ''
  const all = [...call.repository.pulls.values()]
    .flatMap((pull) => pull.inlineComments.map((comment) => ({ id: comment.id, pull, comment })))
    .filter(({ comment }) => comment.updatedAt >= since)
    .sort((one, other) => one.id - other.id)
  const [page, headers] = paginate(call.request, call.address, listVisible(call.state, all))
  const shapes = page.map(({ pull, comment }) => shapeInlineComment(call.state, pull, comment))
  return json(200, shapes, headers)
}

function answerComments(
  call: RepositoryCall,
  pull: PullRequest,
  comments: InlineComment[],
): ForgeResponse {
  const [page, headers] = paginate(call.request, call.address, listVisible(call.state, comments))
  const shapes = page.map((comment) => shapeInlineComment(call.state, pull, comment))
  return json(200, shapes, headers)
}

async function createInlineComment(call: RepositoryCall): Promise<ForgeResponse> {
  const pull = findPull(call)
  const author = requireUser(call.request)
  const body = jsonBody(call.request)
  readCommentBody(call, 'PullRequestReviewComment')
  if (typeof body.in_reply_to === 'number') return answerReply(call, pull, String(body.in_reply_to))
  if (typeof body.commit_id !== 'string')
    throw invalid('PullRequestReviewComment', 'commit_id', 'missing_field')
  const comments = [readNewComment(body)]
  const { commit_id: commitId } = body
  const posted = await postReview(call.state, pull, {
    author,
    state: 'COMMENTED',
    body: '',
    commitId,
    comments,
  })
  if (!Array.isArray(posted)) return answerCreated(call, pull, posted.comments[0]!)
  const [field, message] = singleProblems[posted[0]!]
  throw invalid('PullRequestReviewComment', field, 'custom', `${field} ${message}`)
}

/** GitHub's messages for a single comment. */
const singleProblems: Record<ReviewProblem, [field: string, message: string]> = {
  commit: ['end_commit_oid', 'is not part of the pull request'],
  path: ['pull_request_review_thread.path', 'is invalid'],
  line: ['pull_request_review_thread.line', 'must be part of the diff'],
  start_line_order: ['pull_request_review_thread.start_line', 'must precede the end line.'],
  start_line_hunk: [
    'pull_request_review_thread.start_line',
    'must be part of the same hunk as the line.',
  ],
}

function answerCreated(
  call: RepositoryCall,
  pull: PullRequest,
  comment: InlineComment,
): ForgeResponse {
  const shape = shapeInlineComment(call.state, pull, comment)
  return json(201, shape, { location: String(shape.url) })
}

function createReply(call: RepositoryCall): ForgeResponse {
  return answerReply(call, findPull(call), call.parameters.id!)
}

function answerReply(call: RepositoryCall, pull: PullRequest, id: string): ForgeResponse {
  const author = requireUser(call.request)
  const body = readCommentBody(call, 'PullRequestReviewComment')
  const comment = pull.inlineComments.find((candidate) => String(candidate.id) === id)
  if (comment === undefined) throw notFound()
  return answerCreated(call, pull, replyToInlineComment(call.state, pull, comment, author, body))
}

export function findInlineComment(call: RepositoryCall): [PullRequest, InlineComment] {
  for (const pull of call.repository.pulls.values()) {
    const comment = pull.inlineComments.find(
      (candidate) => String(candidate.id) === call.parameters.id,
    )
    if (comment !== undefined) return [pull, comment]
  }
  throw notFound()
}

function showInlineComment(call: RepositoryCall): ForgeResponse {
  return json(200, shapeInlineComment(call.state, ...findInlineComment(call)))
}

function updateInlineComment(call: RepositoryCall): ForgeResponse {
  const [pull, comment] = findInlineComment(call)
  const user = requireAuthor(call, comment.author)
  const body = readCommentBody(call, 'PullRequestReviewComment')
  editInlineComment(call.state, pull, comment, body, user)
  return json(200, shapeInlineComment(call.state, pull, comment))
}

function deleteInlineComment(call: RepositoryCall): ForgeResponse {
  const [pull, comment] = findInlineComment(call)
  removeInlineComment(call.state, pull, comment, requireAuthor(call, comment.author))
  return noContent()
}

function dismiss(call: RepositoryCall): ForgeResponse {
  const pull = findPull(call)
  const review = findReview(call, pull)
  const user = requirePermission(call, 'write')
  const { restrictsDismissals } = call.repository
  if (restrictsDismissals && !permits(accountPermission(user, call.repository), 'admin'))
    throw refuse(403, 'Branch protections do not permit dismissing this review')
  const { message } = jsonBody(call.request)
  if (typeof message !== 'string' || message.trim() === '')
    throw unprocessable("Dismissal message can't be blank")
  if (review.state === 'COMMENTED' || review.state === 'DISMISSED')
    throw unprocessable(`Can not dismiss a ${review.state.toLowerCase()} pull request review`)
  dismissReview(call.state, pull, review, user, message)
  return json(200, shapeReview(call.state, pull, review))
}
