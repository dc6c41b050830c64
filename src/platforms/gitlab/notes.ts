// Reads the comments of a merge request, which GitLab calls notes, and its threads.
// https://docs.gitlab.com/api/notes/ and https://docs.gitlab.com/api/discussions/
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type { Connection } from '../http/connection.ts'
import { longItemPageSize, readPages } from '../http/read-pages.ts'
import type { Access } from '../platform.ts'
import type { PostedComment } from '../publishing/review-calls.ts'
import { buildProjectCall, buildProjectUrl } from './project-calls.ts'

/** The ids of notes are those of one list, whether they are on lines or not. */
export const commentAnchors = { conversation: 'note_', inline: 'note_' }

const line = z.int().nullish().catch(null)

export const note = z.object({
  id: z.int(),
  /** `DiffNote` on lines, `DiscussionNote` in a thread of the conversation, else null. */
  type: z.string().nullish(),
  body: z.string().catch(''),
  author: z.object({ id: z.int(), username: z.string() }).nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  /** Whether GitLab wrote it, to record what somebody did. */
  system: z.boolean().catch(false),
  resolvable: z.boolean().catch(false),
  resolved: z.boolean().nullish(),
  resolved_by: z.object({ username: z.string() }).nullish(),
  position: z
    .object({
      head_sha: z.string().nullish(),
      new_path: z.string().nullish(),
      old_path: z.string().nullish(),
      new_line: line,
      old_line: line,
    })
    .nullish()
    .catch(null),
})
export type Note = z.output<typeof note>

const discussion = z.object({ id: z.string(), notes: z.array(note) })
export type Discussion = z.output<typeof discussion>

export interface MergeRequestRef {
  readonly access: Access
  readonly number: number
  readonly signal: AbortSignal | undefined
}

/** GET /projects/{id}/merge_requests/{iid}/notes, the oldest first. */
export function readNotes(
  connection: Connection,
  { access, number, signal }: MergeRequestRef,
): AsyncGenerator<Note> {
  const path = `/merge_requests/${number}/notes?sort=asc&order_by=created_at`
  return readPages(connection, buildProjectCall(access, path, signal), note, longItemPageSize)
}

/** GET /projects/{id}/merge_requests/{iid}/discussions: those on lines, the oldest first. */
export async function* readThreads(
  connection: Connection,
  { access, number, signal }: MergeRequestRef,
): AsyncGenerator<Discussion> {
  const call = buildProjectCall(access, `/merge_requests/${number}/discussions`, signal)
  for await (const one of readPages(connection, call, discussion, longItemPageSize)) {
    if (isInline(one.notes[0])) yield one
  }
}

/** Finds the thread that has a note; any thread, not only those on lines. */
export async function findThread(
  connection: Connection,
  { access, number, signal }: MergeRequestRef,
  noteId: string,
): Promise<string> {
  const call = buildProjectCall(access, `/merge_requests/${number}/discussions`, signal)
  for await (const one of readPages(connection, call, discussion, longItemPageSize)) {
    if (one.notes.some(({ id }) => String(id) === noteId)) return one.id
  }
  throw new PlatformError('platform_not_found', 'The thread is gone.')
}

export function isInline(one: Pick<Note, 'type'> | undefined): boolean {
  return one?.type === 'DiffNote'
}

/** @param opening the note that opened the thread, if it is another one */
export function toPostedComment(
  connection: Connection,
  { access, number }: MergeRequestRef,
  one: Note,
  opening?: Note,
): PostedComment {
  const page = `${buildProjectUrl(connection, access.repo)}/-/merge_requests/${number}`
  return {
    id: String(one.id),
    authorId: one.author ? String(one.author.id) : null,
    body: one.body,
    url: `${page}#${commentAnchors.conversation}${one.id}`,
    threadId: opening === undefined || opening.id === one.id ? null : String(opening.id),
  }
}
