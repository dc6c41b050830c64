// Reviews with their inline comments, threads and replies.

import type { AnchorProblem, AnchorRequest } from './comparison.ts'
import { compareCommits, resolveAnchor } from './comparison.ts'
import { deliver } from './deliveries.ts'
import type { Anchor, InlineComment, PullRequest, Review, User } from './entities.ts'
import { moveInlineComments } from './inline-comments.ts'
import { commitsBetween } from './objects.ts'
import { shapeInlineComment, shapePull, shapeReview, threadId } from './shapes.ts'
import { announceChange, changeText, type ForgeState, nextId, now } from './state.ts'

/** A comment to be created. */
export interface NewInlineComment extends AnchorRequest {
  readonly body: string
}

export interface NewReview {
  readonly author: User
  readonly state: Review['state']
  readonly body: string
  readonly commitId: string
  readonly comments: readonly NewInlineComment[]
}

/** Why a review was refused: because of its commit or of the positions of comments. */
export type ReviewProblem = 'commit' | AnchorProblem

/**
 * Posts a review with all its comments, or nothing: each comment must be on a line of the change
 * from the merge base to the review's commit. Returns the review and its comments, or the problems
 * in the order of the comments.
 */
export async function postReview(
  state: ForgeState,
  pull: PullRequest,
  input: NewReview,
): Promise<{ review: Review; comments: InlineComment[] } | ReviewProblem[]> {
  const known = await commitsBetween(pull.repository, pull.baseSha, pull.headSha)
  if (input.commitId !== pull.headSha && !known.includes(input.commitId)) return ['commit']
  const comparison = await compareCommits(pull.repository, pull.baseSha, input.commitId)
  const anchors = input.comments.map((comment) => resolveAnchor(comparison, comment))
  const problems = anchors.filter((anchor) => typeof anchor === 'string')
  if (problems.length > 0) return problems
  const review: Review = {
    id: nextId(state),
    author: input.author,
    state: input.state,
    body: input.body,
    commitId: input.commitId,
    submittedAt: now(state),
  }
  const comments = input.comments.map((comment, index) =>
    newComment(state, review, comment.body, anchors[index] as Anchor, comparison.mergeBase),
  )
  pull.reviews.push(review)
  // Who reviewed isn't asked any more.
  pull.requestedReviewers = pull.requestedReviewers.filter((user) => user !== input.author)
  pull.inlineComments.push(...comments)
  pull.updatedAt = review.submittedAt
  if (input.commitId !== pull.headSha) await moveInlineComments(pull)
  deliverReview(state, pull, review, comments)
  announceChange(state)
  return { review, comments }
}

function newComment(
  state: ForgeState,
  review: Review,
  body: string,
  anchor: Anchor,
  mergeBase: string,
): InlineComment {
  return {
    id: nextId(state),
    reviewId: review.id,
    author: review.author,
    body,
    edits: 0,
    editor: null,
    reactions: [],
    createdAt: review.submittedAt,
    updatedAt: review.submittedAt,
    original: anchor,
    originalCommitId: review.commitId,
    originalMergeBase: mergeBase,
    current: { line: anchor.line, startLine: anchor.startLine, position: anchor.position },
    commitId: review.commitId,
    inReplyTo: null,
    resolvedBy: null,
  }
}

function deliverReview(
  state: ForgeState,
  pull: PullRequest,
  review: Review,
  comments: readonly InlineComment[],
): void {
  deliverReviewEvent(state, pull, review, 'submitted', review.author)
  for (const comment of comments)
    deliverInlineComment(state, pull, comment, 'created', comment.author)
}

function deliverReviewEvent(
  state: ForgeState,
  pull: PullRequest,
  review: Review,
  action: string,
  by: User,
): void {
  deliver(state, pull.repository, 'pull_request_review', by, {
    action,
    review: { ...shapeReview(state, pull, review), state: review.state.toLowerCase() },
    pull_request: shapePull(state, pull, false),
  })
}

function deliverInlineComment(
  state: ForgeState,
  pull: PullRequest,
  comment: InlineComment,
  action: string,
  by: User,
  more: Record<string, unknown> = {},
): void {
  deliver(state, pull.repository, 'pull_request_review_comment', by, {
    action,
    ...more,
    comment: shapeInlineComment(state, pull, comment),
    pull_request: shapePull(state, pull, false),
  })
}

/** Withdraws an approval or a request for changes, and delivers it. */
export function dismissReview(
  state: ForgeState,
  pull: PullRequest,
  review: Review,
  by: User,
): void {
  review.state = 'DISMISSED'
  deliverReviewEvent(state, pull, review, 'dismissed', by)
  announceChange(state)
}

/** Changes the text of an inline comment, and delivers it with the former one. */
export function editInlineComment(
  state: ForgeState,
  pull: PullRequest,
  comment: InlineComment,
  body: string,
  by: User,
): void {
  const changes = changeText(state, comment, body, by)
  deliverInlineComment(state, pull, comment, 'edited', by, { changes })
  announceChange(state)
}

/** Removes an inline comment, and delivers it. */
export function removeInlineComment(
  state: ForgeState,
  pull: PullRequest,
  comment: InlineComment,
  by: User,
): void {
  pull.inlineComments = pull.inlineComments.filter((candidate) => candidate !== comment)
  deliverInlineComment(state, pull, comment, 'deleted', by)
  announceChange(state)
}

/** Replies in the thread of an inline comment. The reply gets a review of its own, as at GitHub. */
export function replyToInlineComment(
  state: ForgeState,
  pull: PullRequest,
  comment: InlineComment,
  author: User,
  body: string,
): InlineComment {
  const submittedAt = now(state)
  const { commitId } = comment
  const review: Review = {
    id: nextId(state),
    author,
    state: 'COMMENTED',
    body: '',
    commitId,
    submittedAt,
  }
  const reply: InlineComment = {
    ...comment,
    id: nextId(state),
    reviewId: review.id,
    author,
    body,
    edits: 0,
    editor: null,
    reactions: [],
    createdAt: submittedAt,
    updatedAt: submittedAt,
    inReplyTo: comment.inReplyTo ?? comment.id,
    resolvedBy: null,
  }
  pull.reviews.push(review)
  pull.inlineComments.push(reply)
  pull.updatedAt = submittedAt
  deliverReview(state, pull, review, [reply])
  announceChange(state)
  return reply
}

/** The comments that opened threads, in order. */
export function threadsOf(pull: PullRequest): InlineComment[] {
  return pull.inlineComments.filter((comment) => comment.inReplyTo === null)
}

/** A thread's comments, the opening one first. */
export function commentsOfThread(pull: PullRequest, opening: InlineComment): InlineComment[] {
  return pull.inlineComments.filter(
    (comment) => comment === opening || comment.inReplyTo === opening.id,
  )
}

/** Resolves or reopens a thread, and delivers it. */
export function setResolved(
  state: ForgeState,
  pull: PullRequest,
  opening: InlineComment,
  by: User,
  resolved: boolean,
): void {
  if ((opening.resolvedBy !== null) === resolved) return
  opening.resolvedBy = resolved ? by : null
  deliver(state, pull.repository, 'pull_request_review_thread', by, {
    action: resolved ? 'resolved' : 'unresolved',
    pull_request: shapePull(state, pull, false),
    thread: {
      node_id: threadId(opening),
      comments: commentsOfThread(pull, opening).map((one) => shapeInlineComment(state, pull, one)),
    },
  })
  announceChange(state)
}
