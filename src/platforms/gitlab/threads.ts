// Lists and resolves threads.
import type { Connection, HostCall } from '../http/connection.ts'
import type { Access, Thread, Viewer } from '../platform.ts'
import { type PostedComments, readPostedComments } from '../publishing/posted-comments.ts'
import { findBots, type IsBot } from './bots.ts'
import { readMergeRequest } from './merge-requests.ts'
import { commentAnchors, type Discussion, type Note, readThreads } from './notes.ts'
import { sendWrite } from './project-calls.ts'

/** Returns all threads on lines of a merge request. */
export async function listThreads(
  connection: Connection,
  isBot: IsBot,
  access: Access,
  number: number,
  ours: { viewer: Viewer; postedUrls: readonly string[] },
  signal?: AbortSignal,
): Promise<readonly Thread[]> {
  const posted = readPostedComments(ours.postedUrls, commentAnchors)
  const { sha } = await readMergeRequest(connection, access, number, signal)
  const threads = await Array.fromAsync(readThreads(connection, { access, number, signal }))
  const notes = threads.flatMap((thread) => thread.notes.filter(({ system }) => !system))
  const bots = await findBots(isBot, access, notes, signal)
  return threads.map((thread) => toThread(thread, { ...ours, posted, bots, headSha: sha ?? null }))
}

interface Context {
  readonly viewer: Viewer
  readonly posted: PostedComments
  /** It has the ids of their accounts. */
  readonly bots: ReadonlySet<number>
  readonly headSha: string | null
}

function toThread({ id, notes: all }: Discussion, context: Context): Thread {
  const notes = all.filter(({ system }) => !system)
  const opening = notes[0] as Note
  const resolved = notes.some(({ resolvable }) => resolvable) && opening.resolved === true
  return {
    id,
    resolved,
    resolvedBy: (resolved && opening.resolved_by?.username) || null,
    ...locate(opening, context),
    comments: notes.map((one) => toComment(one, context)),
  }
}

/** GitLab moves a thread with its line, and leaves it at the last commit that had the line. */
function locate({ position }: Note, { headSha }: Context): { path: string; line: number | null } {
  const path = position?.new_path ?? position?.old_path ?? ''
  const isCurrent = position?.head_sha === headSha
  return { path, line: isCurrent ? (position?.new_line ?? position?.old_line ?? null) : null }
}

function toComment(
  { id, author, body }: Note,
  { viewer, posted, bots }: Context,
): Thread['comments'][number] {
  const login = author?.username ?? 'ghost'
  const own = String(author?.id) === viewer.id || posted.has('inline', String(id))
  return { id: String(id), author: login, body, own, bot: author != null && bots.has(author.id) }
}

/** PUT /projects/{id}/merge_requests/{iid}/discussions/{discussion}. */
export const resolveThread: HostCall<'resolveThread'> = async (
  connection,
  access,
  number,
  threadId,
  signal,
) => {
  const path = `/merge_requests/${number}/discussions/${encodeURIComponent(threadId)}`
  await sendWrite(connection, access, path, { method: 'PUT', body: { resolved: true }, signal })
}
