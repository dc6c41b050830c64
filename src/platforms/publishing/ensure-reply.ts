// Answers a comment once: in its thread, else in the conversation.
import type { Reply } from '../platform.ts'
import { createOnce } from './create-once.ts'
import type { Account } from './review-calls.ts'

interface ReplyTask extends Account {
  readonly reply: Reply
}

/** Implements `Platform.ensureReply`. */
export async function ensureReply(task: ReplyTask): Promise<void> {
  const { calls, reply, signal } = task
  if (await isAnswered(task)) return
  const write = async () => {
    if (reply.to.isInline) await calls.replyInline(reply.to, reply.body)
    else await calls.postComment(reply.body)
    return true
  }
  await createOnce(write, async () => (await isAnswered(task)) || undefined, { signal })
}

/** Anyone can copy the marker, so the author counts as well. */
async function isAnswered({ calls, reply, viewer }: ReplyTask): Promise<boolean> {
  const comments = reply.to.isInline ? calls.readInline() : calls.readConversation()
  for await (const { authorId, body } of comments) {
    if (authorId === viewer.id && body.trimStart().startsWith(reply.marker)) return true
  }
  return false
}
