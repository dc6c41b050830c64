// The shared types and access checks of a repository's routes.
import { permits } from './access.ts'
import type { Permission, Repository, User } from './entities.ts'
import { type ForgeRequest, type ForgeResponse, notFound, refuse } from './http.ts'
import type { ForgeState } from './state.ts'

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

/** The input of a route outside of repositories. */
export interface GlobalCall {
  readonly state: ForgeState
  readonly request: ForgeRequest
  readonly parameters: Readonly<Record<string, string>>
  /** The list's address for `Link` headers. */
  readonly address: string
}

/** The method, the pattern below the API's root, and the handler. The first match wins. */
export type GlobalRoute = readonly [
  method: string,
  pattern: string,
  handle: (call: GlobalCall) => ForgeResponse | Promise<ForgeResponse>,
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
  if (hide) throw notFound()
  const kind = call.request.token?.app === undefined ? 'personal access token' : 'integration'
  throw refuse(403, `Resource not accessible by ${kind}`)
}
