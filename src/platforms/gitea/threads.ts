// Lists and resolves threads.
import type { Connection } from '../http/connection.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { send } from '../http/request.ts'
import type { Access, Thread, Viewer } from '../platform.ts'
import { type PostedComments, readPostedComments } from '../publishing/posted-comments.ts'
import { type Conversation, type InlineComment, listConversations } from './inline-comments.ts'
import { commentAnchors } from './review-calls.ts'

export async function listThreads(
  connection: Connection,
  access: Access,
  number: number,
  ours: { viewer: Viewer; postedUrls: readonly string[] },
  signal?: AbortSignal,
): Promise<readonly Thread[]> {
  const posted = readPostedComments(ours.postedUrls, commentAnchors)
  const conversations = await listConversations(connection, { access, number, signal })
  return conversations.map((conversation) => toThread(conversation, ours.viewer, posted))
}

/** Lines keep the numbers that they had when the comment was posted. */
function toThread(
  { opening, replies, resolver }: Conversation,
  viewer: Viewer,
  posted: PostedComments,
): Thread {
  const toComment = ({ id, user, body }: InlineComment) => ({
    id: String(id),
    author: user?.login ?? 'Ghost',
    body,
    own: String(user?.id) === viewer.id || posted.has('inline', String(id)),
    bot: false,
  })
  return {
    id: String(opening.id),
    resolved: resolver !== null,
    resolvedBy: resolver?.login ?? null,
    path: opening.path,
    line: opening.position || opening.original_position || null,
    comments: [opening, ...replies].map(toComment),
  }
}

/** POST /repos/{owner}/{repo}/pulls/comments/{id}/resolve, which Forgejo doesn't have. */
export async function resolveThread(
  connection: Connection,
  access: Access,
  threadId: string,
  signal?: AbortSignal,
): Promise<void> {
  const path = `/pulls/comments/${encodeURIComponent(threadId)}/resolve`
  await send(connection, buildRepositoryCall(access, path, signal, { method: 'POST' }))
}
