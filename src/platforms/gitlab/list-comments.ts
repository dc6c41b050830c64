// Lists what people wrote on the merge requests of a project.
import { maxRequestLength } from '../../domain/platform-request.ts'
import type { Connection } from '../http/connection.ts'
import { type Access, type ListedComment, maxListedComments } from '../platform.ts'
import { listPullRequests } from './merge-requests.ts'
import { isInline, type Note, readNotes, readThreads } from './notes.ts'
import { isBotLogin } from './sign-in.ts'

/**
 * GitLab lists comments for one merge request only, so those of the merge requests that changed are
 * read. A comment changes its merge request. Only where there are new ones on lines the threads are
 * read too, because a comment alone doesn't say which one it answers.
 */
export async function listComments(
  connection: Connection,
  access: Access,
  since: Date,
  signal?: AbortSignal,
): Promise<readonly ListedComment[]> {
  const listed: ListedComment[] = []
  for (const { number } of await listPullRequests(connection, access, since, signal)) {
    const ref = { access, number, signal }
    const notes = await Array.fromAsync(readNotes(connection, ref))
    const news = notes.filter((one) => isNew(one, since))
    if (news.length === 0) continue
    const openings = news.some(isInline) ? await readOpenings(connection, ref) : new Map()
    listed.push(...news.map((one) => toListed(one, number, openings)))
  }
  return listed
    .sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
    .slice(0, maxListedComments)
}

/**
 * Leaves out what was edited, and what GitLab and bots wrote. Resolving a thread changes its notes.
 */
function isNew(one: Note, since: Date): boolean {
  const isEdited = one.updated_at !== one.created_at && !one.resolved
  const isByPerson = !one.system && one.author != null && !isBotLogin(one.author.username)
  return isByPerson && !isEdited && new Date(one.created_at) >= since
}

/** The note that opened the thread of each note in it. */
async function readOpenings(
  connection: Connection,
  ref: Parameters<typeof readThreads>[1],
): Promise<Map<number, number>> {
  const openings = new Map<number, number>()
  for await (const { notes } of readThreads(connection, ref)) {
    const [opening] = notes
    for (const { id } of notes) openings.set(id, opening?.id ?? id)
  }
  return openings
}

function toListed(
  { id, author, body, created_at, ...one }: Note,
  number: number,
  openings: ReadonlyMap<number, number>,
): ListedComment {
  const opening = openings.get(id) ?? id
  const threadId = opening === id ? null : String(opening)
  return {
    number,
    comment: { id: String(id), isInline: isInline(one), threadId },
    body: body.slice(0, maxRequestLength),
    sender: { id: String(author?.id), login: author?.username ?? '' },
    createdAt: new Date(created_at),
  }
}
