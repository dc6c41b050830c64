// Reacts to comments and answers them: in the thread of a comment, else in the conversation.
import { z } from 'zod'
import type { CommentRef } from '../../domain/platform-request.ts'
import type { Access, CommentReaction, Reply, Viewer } from '../platform.ts'
import { createOnce } from './create-once.ts'
import { longItemPageSize, readPages } from './read-pages.ts'
import { buildRepositoryCall } from './repository-calls.ts'
import { type Connection, send } from './request.ts'

/** POST /repos/{owner}/{repo}/{issues|pulls}/comments/{id}/reactions. GitHub adds it once. */
export async function addReaction(
  connection: Connection,
  access: Access,
  { comment, reaction }: { comment: CommentRef; reaction: CommentReaction },
  signal?: AbortSignal,
): Promise<void> {
  const path = `/${comment.isInline ? 'pulls' : 'issues'}/comments/${comment.id}/reactions`
  const rest = { method: 'POST', body: { content: reaction } } as const
  await send(connection, buildRepositoryCall(access, path, signal, rest))
}

interface ReplyTask {
  readonly connection: Connection
  readonly access: Access
  readonly reply: Reply
  readonly viewer: Viewer
  readonly signal: AbortSignal | undefined
}

/** Implements `Platform.ensureReply`. */
export async function ensureReply(task: ReplyTask): Promise<void> {
  const { connection, access, signal } = task
  const { number, to, body, beforeWrite } = task.reply
  if (await isAnswered(task)) return
  // GitHub accepts replies to the first comment of a thread alone.
  const path = to.isInline
    ? `/pulls/${number}/comments/${to.threadId ?? to.id}/replies`
    : `/issues/${number}/comments`
  const rest = { method: 'POST', body: { body }, beforeWrite } as const
  const write = async () => {
    await send(connection, buildRepositoryCall(access, path, signal, rest))
    return true
  }
  await createOnce(write, async () => (await isAnswered(task)) || undefined, { signal })
}

const comment = z.object({
  id: z.int(),
  body: z.string().catch(''),
  user: z.object({ id: z.int() }).nullish(),
})

/** Anyone can copy the marker, so the author counts as well. */
async function isAnswered({
  connection,
  access,
  reply,
  viewer,
  signal,
}: ReplyTask): Promise<boolean> {
  const path = `/${reply.to.isInline ? 'pulls' : 'issues'}/${reply.number}/comments`
  const call = buildRepositoryCall(access, path, signal)
  for await (const { user, body } of readPages(connection, call, comment, longItemPageSize)) {
    if (String(user?.id) === viewer.id && body.trimStart().startsWith(reply.marker)) return true
  }
  return false
}
