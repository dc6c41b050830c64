// Reacts to comments.
import type { CommentRef } from '../../domain/platform-request.ts'
import type { Connection } from '../http/connection.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { send } from '../http/request.ts'
import type { Access, CommentReaction } from '../platform.ts'

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
