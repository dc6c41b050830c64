// Reads and writes the comments and reviews of a pull request, for what publishes them.
import { z } from 'zod'
import type { PlatformError } from '../../domain/errors.ts'
import type { ApiCall, Connection } from '../http/connection.ts'
import { longItemPageSize, readPages } from '../http/read-pages.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { send, sendForJson } from '../http/request.ts'
import type { InlineComment } from '../platform.ts'
import type {
  PostedComment,
  PostedReview,
  ReviewCalls,
  ReviewTarget,
  ReviewToPost,
} from '../publishing/review-calls.ts'

export const commentAnchors = { conversation: 'issuecomment-', inline: 'discussion_r' }

const author = z
  .object({ id: z.int() })
  .nullish()
  .transform((account) => (account == null ? null : String(account.id)))

const comment = z
  .object({
    id: z.int(),
    body: z.string().catch(''),
    html_url: z.string().catch(''),
    user: author,
    in_reply_to_id: z.int().nullish(),
  })
  .transform(
    (fields): PostedComment => ({
      id: String(fields.id),
      authorId: fields.user,
      body: fields.body,
      url: fields.html_url,
      threadId: fields.in_reply_to_id == null ? null : String(fields.in_reply_to_id),
    }),
  )

const states: ReadonlyMap<string, PostedReview['state']> = new Map([
  ['COMMENTED', 'comment'],
  ['APPROVED', 'approve'],
  ['CHANGES_REQUESTED', 'request_changes'],
  ['DISMISSED', 'dismissed'],
  ['PENDING', 'pending'],
])

const postedReview = z
  .object({
    id: z.int(),
    state: z.string(),
    body: z.string().catch(''),
    commit_id: z.string().nullish(),
    user: author,
  })
  .transform(
    (fields): PostedReview => ({
      id: String(fields.id),
      authorId: fields.user,
      state: states.get(fields.state) ?? 'unknown',
      body: fields.body,
      headSha: fields.commit_id ?? null,
      dismissal: '',
    }),
  )

const events: Readonly<Record<ReviewToPost['event'], string>> = {
  comment: 'COMMENT',
  approve: 'APPROVE',
  request_changes: 'REQUEST_CHANGES',
}

/** See `ReviewCalls`. */
export function createReviewCalls(connection: Connection, target: ReviewTarget): ReviewCalls {
  const { access, number, signal, beforeWrite } = target
  const read = (path: string) => buildRepositoryCall(access, path, signal)
  const list = <T>(path: string, schema: z.ZodType<T>) =>
    readPages(connection, read(path), schema, longItemPageSize)
  const buildWrite = (method: ApiCall['method'], path: string, body?: object) =>
    buildRepositoryCall(access, path, signal, { method, body, beforeWrite })
  const write = async (...input: Parameters<typeof buildWrite>) => {
    await send(connection, buildWrite(...input))
  }
  const writeComment = (...input: Parameters<typeof buildWrite>) =>
    sendForJson(connection, buildWrite(...input), comment)
  const conversation = `/issues/${number}/comments`
  const reviews = `/pulls/${number}/reviews`
  return {
    readConversation: () => list(conversation, comment),
    readInline: () => list(`/pulls/${number}/comments`, comment),
    postComment: (body) => writeComment('POST', conversation, { body }),
    editComment: (id, body) => writeComment('PATCH', `/issues/comments/${id}`, { body }),
    deleteComment: (id) => write('DELETE', `/issues/comments/${id}`),
    editInline: (id, body) => write('PATCH', `/pulls/comments/${id}`, { body }),
    deleteInline: (id) => write('DELETE', `/pulls/comments/${id}`),
    // GitHub accepts replies to the first comment of a thread alone.
    replyInline: ({ id, threadId }, body) =>
      write('POST', `/pulls/${number}/comments/${threadId ?? id}/replies`, { body }),
    listReviews: () => Array.fromAsync(list(reviews, postedReview)),
    postReview: (review) => write('POST', reviews, toReviewBody(review)),
    editReview: (id, body) => write('PUT', `${reviews}/${id}`, { body }),
    dismissReview: (id, message) =>
      write('PUT', `${reviews}/${id}/dismissals`, { message, event: 'DISMISS' }),
    isOwnPullRefusal: (error) => isInvalidReview(error) && /own pull request/i.test(error.message),
    isCommentRefusal: (error) => isInvalidReview(error) && namesComment.test(error.message),
  }
}

function toReviewBody({ headSha, event, body, comments }: ReviewToPost): object {
  const review = { event: events[event], body }
  return headSha === null
    ? review
    : { commit_id: headSha, ...review, comments: comments.map(toReviewComment) }
}

function toReviewComment({ place, body }: InlineComment): object {
  const { path, side } = place
  const [start, line] = [place.start, place.end].map((at) => (side === 'LEFT' ? at.old : at.new))
  const lastLine = { path, body, side, line }
  return start === line ? lastLine : { ...lastLine, start_line: start, start_side: side }
}

function isInvalidReview({ code, status }: PlatformError): boolean {
  return code === 'platform_refused' && status === 422
}

/** GitHub also rejects a review as a whole, e.g. for an unknown commit or a pending draft. */
const namesComment = /line|path|hunk|position|side|diff/i
