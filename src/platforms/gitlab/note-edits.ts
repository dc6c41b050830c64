// Asks whether a comment was edited, which the REST API doesn't say.
// https://docs.gitlab.com/api/graphql/reference/#note
import { z } from 'zod'
import type { Connection } from '../http/connection.ts'
import { sendForJson } from '../http/request.ts'
import type { Access } from '../platform.ts'
import type { Note } from './notes.ts'
import { isFinal } from './request-rules.ts'

const query = 'query($id: NoteID!) { note(id: $id) { lastEditedBy { id } } }'

const answer = z.object({
  data: z.object({ note: z.object({ lastEditedBy: z.object({}).nullable() }) }),
})

/**
 * Whether somebody edited the text. Reactions, resolving the thread and applying a suggestion
 * change `updated_at` too, so that GitLab has to be asked. Without an answer it counts as edited.
 */
export async function isEdited(
  connection: Connection,
  { repo, token }: Access,
  { id, created_at: createdAt, updated_at: updatedAt }: Note,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (updatedAt === createdAt) return false
  const body = { query, variables: { id: `gid://gitlab/Note/${id}` } }
  const call = { method: 'POST', path: '/graphql', token, repo, body, signal } as const
  const graphql = { ...connection, apiUrl: connection.apiUrl.replace(/\/v4$/, '') }
  try {
    const { data } = await sendForJson(graphql, call, answer)
    return data.note.lastEditedBy !== null
  } catch (error) {
    if (!isFinal(error)) throw error
    return true
  }
}
