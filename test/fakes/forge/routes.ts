// The shared types and access checks of a repository's routes.
import { type ForgeRequest, type ForgeResponse, notFound, refuse } from './http.ts'
import { type ForgeState, type Permission, permits, type Repository, type User } from './state.ts'

/** The input of a route of a repository. */
export interface RepositoryCall {
  readonly state: ForgeState
  readonly request: ForgeRequest
  readonly repository: Repository
  readonly permission: Permission
  /** Decoded parameters of the path. */
  readonly parameters: Readonly<Record<string, string>>
  /** The list's address for `Link` headers, by the repository's id, as at GitHub. */
  readonly address: string
}

/** The method, the pattern below `/repos/:owner/:repo`, and the handler. The first match wins. */
export type Route = readonly [
  method: string,
  pattern: string,
  handle: (call: RepositoryCall) => ForgeResponse | Promise<ForgeResponse>,
]

/** Returns the user of a request. Throws 401 without one. */
export function requireUser(request: ForgeRequest): User {
  if (request.token === null) throw refuse(401, 'Requires authentication')
  return request.token.user
}

/** Throws GitHub's 403 (or 404 with `hide`) when the caller has less access than `needed`. */
export function requirePermission(call: RepositoryCall, needed: Permission, hide = false): User {
  const user = requireUser(call.request)
  if (permits(call.permission, needed)) return user
  throw hide ? notFound() : refuse(403, 'Resource not accessible by personal access token')
}
