// Lists and resolves threads.
import type { Connection } from '../http/connection.ts'
import type { Access, Thread, Viewer } from '../platform.ts'
import { type PostedComments, readPostedComments } from '../publishing/posted-comments.ts'
import { readMergeRequest } from './merge-requests.ts'
import { commentAnchors, type Discussion, type Note, readThreads } from './notes.ts'
import { sendWrite } from './project-calls.ts'
import { isBotLogin } from './sign-in.ts'

/** Returns all threads on lines of a merge request. */
export async function listThreads(
  connection: Connection,
  access: Access,
  number: number,
  ours: { viewer: Viewer; postedUrls: readonly string[] },
  signal?: AbortSignal,
): Promise<readonly Thread[]> {
  const posted = readPostedComments(ours.postedUrls, commentAnchors)
  const { sha } = await readMergeRequest(connection, access, number, signal)
  const threads = await Array.fromAsync(readThreads(connection, { access, number, signal }))
  return threads.map((thread) => toThread(thread, { ...ours, posted, headSha: sha ?? null }))
}

/** GitLab moves a thread along with its line, and leaves it at the last commit that had the line. */
function toThread(
  { id, notes: all }: Discussion,
  context: { viewer: Viewer; posted: PostedComments; headSha: string | null },
): Thread {
  const notes = all.filter(({ system }) => !system)
  const { position, resolved_by: resolver, ...opening } = notes[0] as Note
  const isCurrent = position?.head_sha === context.headSha
  const resolved = notes.some(({ resolvable }) => resolvable) && opening.resolved === true
  return {
    id,
    resolved,
    resolvedBy: (resolved && resolver?.username) || null,
    path: position?.new_path ?? position?.old_path ?? '',
    line: isCurrent ? (position?.new_line ?? position?.old_line ?? null) : null,
    comments: notes.map(({ id, author, body }) => ({
      id: String(id),
      author: author?.username ?? 'ghost',
      body,
      own: String(author?.id) === context.viewer.id || context.posted.has('inline', String(id)),
      bot: isBotLogin(author?.username ?? ''),
    })),
  }
}

/** PUT /projects/{id}/merge_requests/{iid}/discussions/{discussion}. */
export async function resolveThread(
  connection: Connection,
  access: Access,
  number: number,
  threadId: string,
  signal?: AbortSignal,
): Promise<void> {
  const path = `/merge_requests/${number}/discussions/${encodeURIComponent(threadId)}`
  await sendWrite(connection, access, path, { method: 'PUT', body: { resolved: true }, signal })
}
