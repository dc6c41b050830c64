// Reviews with their inline comments, threads and replies.

import type { AnchorProblem, AnchorRequest } from './comparison.ts'
import { compareCommits, resolveAnchor } from './comparison.ts'
import type { ForgeEvent } from './dialect.ts'
import type { Anchor, InlineComment, PullRequest, Review, User } from './entities.ts'
import { moveInlineComments } from './inline-comments.ts'
import { commitsBetween } from './objects.ts'
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
  const review = makeReview(state, pull, input)
  const comments = input.comments.map((comment, index) =>
    makeInlineComment(state, review, comment.body, anchors[index] as Anchor, comparison.mergeBase),
  )
  pull.reviews.push(review)
  // Who reviewed isn't asked any more.
  pull.requestedReviewers = pull.requestedReviewers.filter((user) => user !== input.author)
  pull.inlineComments.push(...comments)
  pull.updatedAt = review.submittedAt
  if (input.commitId !== pull.headSha) await moveInlineComments(pull)
  deliver(state, { kind: 'review', action: 'submitted', pull, review, comments }, review.author)
  announceChange(state)
  return { review, comments }
}

/** Makes a review that is submitted now, without adding it to the pull request. */
export function makeReview(
  state: ForgeState,
  pull: PullRequest,
  { author, state: kind, body, commitId }: Omit<NewReview, 'comments'>,
): Review {
  const submittedAt = now(state)
  const ids = { id: nextId(state), summaryId: nextId(state) }
  const fixed = { ...ids, author, commitId, submittedAt, headSha: pull.headSha }
  return { ...fixed, state: kind, body, updatedAt: submittedAt, formerState: null }
}

export function makeInlineComment(
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

/** Delivers something about the reviews of a pull request. */
function deliver(
  state: ForgeState,
  event: Extract<ForgeEvent, { readonly pull: PullRequest }>,
  by: User,
): void {
  state.dialect.deliver(state, event.pull.repository, event, by)
}

/** Withdraws an approval or a request for changes, and delivers it. */
export function dismissReview(
  state: ForgeState,
  pull: PullRequest,
  review: Review,
  by: User,
  message = '',
): void {
  const createdAt = now(state)
  pull.dismissals.push({ id: nextId(state), review, by, message, createdAt })
  review.formerState = review.state
  review.state = 'DISMISSED'
  review.updatedAt = createdAt
  deliver(state, { kind: 'review', action: 'dismissed', pull, review, comments: [] }, by)
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
  const formerBody = changeText(state, comment, body, by)
  deliver(state, { kind: 'inline_comment', action: 'edited', pull, comment, formerBody }, by)
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
  deliver(state, { kind: 'inline_comment', action: 'deleted', pull, comment }, by)
  announceChange(state)
}

/** Replies in the thread of an inline comment, in its review or with a review of its own. */
export function replyToInlineComment(
  state: ForgeState,
  pull: PullRequest,
  comment: InlineComment,
  author: User,
  body: string,
): InlineComment {
  const submittedAt = now(state)
  const joined = state.dialect.repliesJoinReview
    ? pull.reviews.find(({ id }) => id === comment.reviewId)
    : undefined
  const { commitId } = comment
  const review =
    joined ?? makeReview(state, pull, { author, state: 'COMMENTED', body: '', commitId })
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
  if (joined === undefined) pull.reviews.push(review)
  pull.inlineComments.push(reply)
  pull.updatedAt = submittedAt
  deliver(state, { kind: 'reply', pull, review, comment: reply }, author)
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
  const action = resolved ? 'resolved' : 'unresolved'
  deliver(state, { kind: 'thread', action, pull, opening }, by)
  announceChange(state)
}
