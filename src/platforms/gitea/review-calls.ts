// Reads and writes the comments and reviews of a pull request, for what publishes them.
import { z } from 'zod'
import { isNotFound, PlatformError } from '../../domain/errors.ts'
import type { ApiCall, Connection } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { send, sendForJson } from '../http/request.ts'
import type { InlineComment, Viewer } from '../platform.ts'
import type {
  PostedComment,
  PostedReview,
  ReviewCalls,
  ReviewTarget,
  ReviewToPost,
} from '../publishing/review-calls.ts'
import { findCommit } from './commits.ts'
import {
  findMarker,
  type InlineComment as ListedComment,
  listConversations,
  listReviewComments,
  listReviews,
  type Review,
} from './inline-comments.ts'
import { maxPageSize } from './request-rules.ts'
import type { Variant } from './variants.ts'

/** Comments of both kinds share their ids. */
export const commentAnchors = { conversation: 'issuecomment-', inline: 'issuecomment-' }

const comment = z
  .object({
    id: z.int(),
    body: z.string().catch(''),
    html_url: z.string().catch(''),
    user: z.object({ id: z.int() }).nullish(),
  })
  .transform((fields) => toPostedComment(fields, null))

const timelineEntry = z.object({
  type: z.string(),
  body: z.string().catch(''),
  review_id: z.int().catch(0),
})

const events: Readonly<Record<ReviewToPost['event'], string>> = {
  comment: 'COMMENT',
  approve: 'APPROVED',
  request_changes: 'REQUEST_CHANGES',
}

/** A request for a review is none, and counts like a draft. */
const states: ReadonlyMap<string, PostedReview['state']> = new Map([
  ['COMMENT', 'comment'],
  ['APPROVED', 'approve'],
  ['REQUEST_CHANGES', 'request_changes'],
  ['PENDING', 'pending'],
  ['REQUEST_REVIEW', 'pending'],
])

/** The server failed because of a line, without saying so. */
class LineRefusal extends PlatformError {}

interface Task extends ReviewTarget {
  readonly connection: Connection
  readonly variant: Variant
  readonly viewer: Viewer
}

/** See `ReviewCalls`. */
export function createReviewCalls(task: Task): ReviewCalls {
  const { connection, access, number, signal, variant } = task
  const writeComment = (...input: Parameters<typeof buildWrite>) =>
    sendForJson(connection, buildWrite(...input), comment)
  const conversation = `/issues/${number}/comments`
  return {
    readConversation: () => {
      const call = buildRepositoryCall(access, conversation, signal)
      return readPages(connection, call, comment, maxPageSize)
    },
    readInline: () => readInline(task),
    postComment: (body) => writeComment(task, 'POST', conversation, { body }),
    editComment: (id, body) => writeComment(task, 'PATCH', `/issues/comments/${id}`, { body }),
    deleteComment: (id) => write(task, 'DELETE', `/issues/comments/${id}`),
    editInline: (id, body) => write(task, 'PATCH', `/issues/comments/${id}`, { body }),
    deleteInline: async (id) => {
      const path = variant.hasReviewComments
        ? await findCommentPath(task, id)
        : `/issues/comments/${id}`
      await write(task, 'DELETE', path)
    },
    replyInline: ({ id, threadId }, body) => reply(task, threadId ?? id, body),
    listReviews: () => listPostedReviews(task),
    postReview: (review) => postReview(task, review),
    editReview: null,
    dismissReview: (id, message) =>
      write(task, 'POST', `${reviewsPath(task)}/${id}/dismissals`, { message, priors: false }),
    isOwnPullRefusal: ({ status, message }) => status === 422 && /your own pull/i.test(message),
    isCommentRefusal: (error) => error instanceof LineRefusal,
  }
}

const reviewsPath = ({ number }: Task) => `/pulls/${number}/reviews`

function buildWrite(
  { access, signal, beforeWrite }: Task,
  method: ApiCall['method'],
  path: string,
  body?: object,
): ApiCall {
  return buildRepositoryCall(access, path, signal, { method, body, beforeWrite })
}

async function write(
  task: Task,
  method: ApiCall['method'],
  path: string,
  body?: object,
): Promise<void> {
  await send(task.connection, buildWrite(task, method, path, body))
}

function toPostedComment(
  fields: {
    readonly id: number
    readonly body: string
    readonly html_url: string
    readonly user?: { readonly id: number } | null | undefined
  },
  threadId: number | null,
): PostedComment {
  return {
    id: String(fields.id),
    authorId: fields.user == null ? null : String(fields.user.id),
    body: fields.body,
    url: fields.html_url,
    threadId: threadId === null ? null : String(threadId),
  }
}

async function* readInline(task: Task): AsyncGenerator<PostedComment> {
  for (const { opening, replies } of await listConversations(task.connection, task)) {
    yield toPostedComment(opening, null)
    for (const one of replies) yield toPostedComment(one, opening.id)
  }
}

/** @throws PlatformError `platform_not_found` when it is gone */
async function findInline(task: Task, id: string): Promise<ListedComment> {
  const conversations = await listConversations(task.connection, task)
  const found = conversations
    .flatMap(({ opening, replies }) => [opening, ...replies])
    .find((one) => String(one.id) === id)
  if (found !== undefined) return found
  throw new PlatformError('platform_not_found', 'The comment does not exist.', { status: 404 })
}

async function findCommentPath(task: Task, id: string): Promise<string> {
  const { review } = await findInline(task, id)
  return `${reviewsPath(task)}/${review.id}/comments/${id}`
}

async function reply(task: Task, openingId: string, body: string): Promise<void> {
  await task.beforeWrite()
  const {
    path,
    position,
    original_position: oldPosition,
    review,
  } = await findInline(task, openingId)
  const comment = { path, body, new_position: position, old_position: oldPosition }
  if (task.variant.hasReviewComments)
    return write(task, 'POST', `${reviewsPath(task)}/${review.id}/comments`, comment)
  await discardDraft(task)
  const { commit_id: commit } = review
  const own = { event: 'COMMENT', body: '', commit_id: commit ?? '', comments: [comment] }
  await write(task, 'POST', reviewsPath(task), own)
}

/** A dismissed review keeps its state. */
async function listPostedReviews(task: Task): Promise<PostedReview[]> {
  const reviews = await listReviews(task.connection, task)
  const messages = reviews.some(({ dismissed }) => dismissed)
    ? await readDismissals(task)
    : new Map<number, string>()
  return reviews.map((review) => ({
    id: String(review.id),
    authorId: review.user == null ? null : String(review.user.id),
    state: review.dismissed ? 'dismissed' : (states.get(review.state) ?? 'unknown'),
    body: review.body,
    headSha: review.commit_id || null,
    dismissal: messages.get(review.id) ?? '',
  }))
}

/** Returns the message of the last dismissal of each review, which is found by its id. */
async function readDismissals(task: Task): Promise<Map<number, string>> {
  const { connection, access, number, signal } = task
  const messages = new Map<number, string>()
  const call = buildRepositoryCall(access, `/issues/${number}/timeline`, signal)
  for await (const { type, body, review_id: id } of readPages(
    connection,
    call,
    timelineEntry,
    maxPageSize,
  )) {
    if (type === 'dismiss_review') messages.set(id, body)
  }
  return messages
}

/**
 * The server stores the comments as a draft first and submits it in a second step. When a line or
 * the commit doesn't exist, it fails between them.
 */
async function postReview(task: Task, review: ReviewToPost): Promise<void> {
  await discardDraft(task)
  const body = {
    ...(review.headSha === null ? {} : { commit_id: review.headSha }),
    event: events[review.event],
    body: review.body,
    comments: review.comments.map(toReviewComment),
  }
  try {
    await write(task, 'POST', reviewsPath(task), body)
  } catch (error) {
    const isFailure = error instanceof PlatformError && error.status === 500
    if (!isFailure || !(await discardDraft(task))) throw error
    throw await explainFailure(task, review, error)
  }
}

async function explainFailure(
  { connection, access, signal }: Task,
  { headSha, comments }: ReviewToPost,
  cause: PlatformError,
): Promise<PlatformError> {
  const input = { status: 422, cause }
  if (headSha !== null) {
    const missing = await findCommit(connection, access, headSha, signal).catch(
      (error: unknown) => error,
    )
    if (isNotFound(missing))
      return new PlatformError('platform_refused', 'The commit does not exist.', input)
  }
  if (comments.length === 0) return cause
  return new LineRefusal('platform_refused', 'The platform refused a line.', input)
}

/** A comment is on one line, which is the last one of its place. */
function toReviewComment({ place, body }: InlineComment): object {
  const { path, oldPath, side, end } = place
  return side === 'LEFT'
    ? { path: oldPath, body, old_position: end.old }
    : { path, body, new_position: end.new }
}

/**
 * Deletes a draft that a failed call left: the next review would submit it. A draft of the person
 * whose token it is stays, and nothing is posted, as at hosts that allow one draft.
 *
 * @returns whether there was one
 */
async function discardDraft(task: Task): Promise<boolean> {
  const drafts = (await listReviews(task.connection, task)).filter(
    ({ state, user }) => state === 'PENDING' && String(user?.id) === task.viewer.id,
  )
  for (const draft of drafts) {
    if (!(await isOurDraft(task, draft))) {
      const message = 'The account has a draft of a review on this pull request.'
      throw new PlatformError('platform_refused', message, { status: 422 })
    }
    await write(task, 'DELETE', `${reviewsPath(task)}/${draft.id}`)
  }
  return drafts.length > 0
}

async function isOurDraft(task: Task, draft: Review): Promise<boolean> {
  if (draft.comments_count === 0) return true
  const comments = await listReviewComments(task.connection, task, draft)
  return comments.every(
    (one) => findMarker(one) !== null || one.body.trimStart().startsWith('<!--'),
  )
}
