// Reacts to comments.
// https://docs.gitlab.com/api/emoji_reactions/
import { PlatformError } from '../../domain/errors.ts'
import type { Connection } from '../http/connection.ts'
import type { Access, CommentReaction } from '../platform.ts'
import { sendWrite } from './project-calls.ts'

const names: Readonly<Record<CommentReaction, string>> = {
  eyes: 'eyes',
  '+1': 'thumbsup',
  confused: 'confused',
}

/** POST …/notes/{note}/award_emoji. GitLab answers 404 if the account has reacted like that. */
export async function addReaction(
  connection: Connection,
  access: Access,
  { comment, reaction }: { comment: { id: string; number: number }; reaction: CommentReaction },
  signal?: AbortSignal,
): Promise<void> {
  const { number, id } = comment
  const path = `/merge_requests/${number}/notes/${encodeURIComponent(id)}/award_emoji`
  try {
    const body = { name: names[reaction] }
    await sendWrite(connection, access, path, { method: 'POST', body, signal })
  } catch (error) {
    const isRepeated = error instanceof PlatformError && /already been taken/i.test(error.message)
    if (!isRepeated) throw error
  }
}
