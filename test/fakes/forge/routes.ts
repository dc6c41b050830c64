// What the routes of a repository share: their call, their table, and the checks of who may.
import { type ForgeRequest, type ForgeResponse, notFound, refuse } from './http.ts'
import { type ForgeState, type Permission, permits, type Repository, type User } from './state.ts'

/** What a route of a repository gets. */
export interface RepositoryCall {
  readonly state: ForgeState
  readonly request: ForgeRequest
  readonly repository: Repository
  readonly permission: Permission
  /** Decoded parameters of the path. */
  readonly parameters: Readonly<Record<string, string>>
  /** The list's address for `Link` headers: by the repository's id, as GitHub gives it. */
  readonly address: string
}

/** Method, pattern below `/repos/:owner/:repo`, and what answers. Patterns are tried in order. */
export type Route = readonly [
  method: string,
  pattern: string,
  handle: (call: RepositoryCall) => ForgeResponse | Promise<ForgeResponse>,
]

/** The user behind a request. Throws 401 where there is none. */
export function requireUser(request: ForgeRequest): User {
  if (request.token === null) throw refuse(401, 'Requires authentication')
  return request.token.user
}

/** Throws GitHub's 403 (or 404 with `hide`) when the caller may do less than `needed`. */
export function requirePermission(call: RepositoryCall, needed: Permission, hide = false): User {
  const user = requireUser(call.request)
  if (permits(call.permission, needed)) return user
  throw hide ? notFound() : refuse(403, 'Resource not accessible by personal access token')
}
