// Lists what people wrote on the merge requests of a project.
import { maxRequestLength } from '../../domain/platform-request.ts'
import { readEach, toCommentList } from '../http/comment-list.ts'
import type { Connection } from '../http/connection.ts'
import type { Access, CommentList, ListedComment } from '../platform.ts'
import { findBots, type IsBot } from './bots.ts'
import { listPullRequests } from './merge-requests.ts'
import { isEdited } from './note-edits.ts'
import { isInline, type MergeRequestRef, type Note, readNotes, readThreads } from './notes.ts'

/**
 * GitLab lists comments for one merge request only, so those of the merge requests that changed are
 * read. A comment changes its merge request.
 */
export async function listComments(
  connection: Connection,
  isBot: IsBot,
  access: Access,
  since: Date,
  signal?: AbortSignal,
): Promise<CommentList> {
  const changed = await listPullRequests(connection, access, since, signal)
  const { comments, isComplete } = await readEach(changed, (number) =>
    listNew(connection, isBot, { access, number, signal }, since),
  )
  return toCommentList(comments, isComplete)
}

/**
 * Leaves out what GitLab and bots wrote, and what was edited. Only where there are new comments on
 * lines the threads are read too, because a comment alone doesn't say which one it answers.
 */
async function listNew(
  connection: Connection,
  isBot: IsBot,
  ref: MergeRequestRef,
  since: Date,
): Promise<ListedComment[]> {
  const { access, number, signal } = ref
  const notes = await Array.fromAsync(readNotes(connection, ref))
  const recent = notes.filter(
    ({ system, author, created_at: time }) => !system && author != null && new Date(time) >= since,
  )
  const bots = await findBots(isBot, access, recent, signal)
  const news: Note[] = []
  for (const one of recent) {
    if (bots.has(one.author!.id)) continue
    if (!(await isEdited(connection, access, one, signal))) news.push(one)
  }
  const openings = news.some(isInline) ? await readOpenings(connection, ref) : new Map()
  return news.map((one) => toListed(one, number, openings))
}

/** The note that opened the thread of each note in it. */
async function readOpenings(
  connection: Connection,
  ref: MergeRequestRef,
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
