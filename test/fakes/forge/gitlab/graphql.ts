// The part of GitLab's GraphQL API that says who edited a note, which REST doesn't.
import { type ForgeRequest, type ForgeResponse, json, jsonBody } from '../http.ts'
import type { ForgeState } from '../state.ts'
import { discussionsOf, notesOf } from './notes.ts'
import { authenticate } from './rest.ts'

export const graphqlPath = '/api/graphql'

/**
 * Answers the query of a note by its global id. One that the account can't see is null
 * (app/graphql/types/query_type.rb), and so is the editor of one that wasn't edited
 * (app/models/concerns/editable.rb).
 */
export function serveGraphql(state: ForgeState, request: ForgeRequest): ForgeResponse {
  const token = authenticate(state, request)
  const { query, variables } = jsonBody(request)
  if (!/\bnote\(id: \$id\)/.test(String(query)))
    return json(200, { errors: [{ message: 'The fake answers queries of a note only' }] })
  const { id } = variables as { readonly id: string }
  const number = Number(/^gid:\/\/gitlab\/\w*Note\/(\d+)$/.exec(id)?.[1])
  const issues = [...state.repositories.values()].flatMap((one) => [...one.issues.values()])
  const note = issues
    .flatMap((issue) => notesOf(discussionsOf(state, issue)))
    .find(({ comment }) => comment.id === number)
  if (token === null || note === undefined) return json(200, { data: { note: null } })
  const editor = note.kind === 'system' ? null : note.comment.editor
  const lastEditedBy = editor && { id: `gid://gitlab/User/${editor.id}` }
  return json(200, { data: { note: { lastEditedBy } } })
}
