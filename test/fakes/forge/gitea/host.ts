// The calls of routes, errors and answers in the format of Gitea and Forgejo.
import { accountPermission, permits } from '../access.ts'
import type { Permission, Repository, User } from '../entities.ts'
import { type ForgeRequest, type ForgeResponse, json, Refusal } from '../http.ts'
import type { ForgeState } from '../state.ts'
import type { Profile } from './profile.ts'

/** A forge that speaks as one of the two. */
export interface Host {
  readonly state: ForgeState
  readonly profile: Profile
}

/** The input of a route. */
export interface Call extends Host {
  readonly request: ForgeRequest
  /** Decoded parameters of the path. */
  readonly parameters: Readonly<Record<string, string>>
}

/** The input of a route of a repository. */
export interface RepositoryCall extends Call {
  readonly repository: Repository
  /** The access of the account, whatever the scopes of its token. */
  readonly permission: Permission
}

/** The method, the pattern, and the handler. The first match wins. */
export type Route<Input> = readonly [
  method: string,
  pattern: string,
  handle: (call: Input) => ForgeResponse | Promise<ForgeResponse>,
]

const swaggerUrl = ({ state }: Host) => `${state.url}/api/swagger`

/** Creates an error with a message, as most are. */
export function refuse(host: Host, status: number, message: string): Refusal {
  return new Refusal(status, { message, url: swaggerUrl(host) })
}

/** Creates a 404, which has a list of errors too. */
export function notFound(host: Host, message?: string, error?: string): Refusal {
  const { notFound: fixed } = host.profile
  return new Refusal(404, {
    errors: error === undefined ? fixed.errors : [error],
    message: message ?? fixed.message,
    url: swaggerUrl(host),
  })
}

/** An error of the server: the message is only for its administrators. */
export const failed = (host: Host) => refuse(host, 500, '')

/** Parses the body, which must be a JSON object. */
export function readBody(call: Call): Record<string, unknown> {
  if (call.request.body.length === 0) throw refuse(call, 422, '[]: Empty Content-Type')
  try {
    const value: unknown = JSON.parse(call.request.body.toString('utf8'))
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // It is answered below.
  }
  throw refuse(call, 422, '[]: invalid character looking for beginning of value')
}

/** Reads a field that must have text. An empty one is missing; a blank one isn't. */
export function readRequired(call: Call, field: string): string {
  const value = readBody(call)[field]
  if (typeof value === 'string' && value !== '') return value
  throw refuse(call, 422, `[${field[0]!.toUpperCase()}${field.slice(1)}]: Required`)
}

export function requireUser(call: Call): User {
  if (call.request.token === null) throw refuse(call, 401, 'token is required')
  return call.request.token.user
}

/** Throws 403 when the caller has less access than `needed`. */
export function requirePermission(call: RepositoryCall, needed: Permission): User {
  const user = requireUser(call)
  if (permits(call.permission, needed)) return user
  const message =
    needed === 'admin'
      ? 'user should be an owner or a collaborator with admin write of a repository'
      : 'user should have a permission to write to a repo'
  throw refuse(call, 403, message)
}

/** The access of a caller to a repository; scopes are checked apart from it. */
export function permissionOf(user: User | null, repository: Repository): Permission {
  if (user !== null) return accountPermission(user, repository)
  return repository.private ? 'none' : 'read'
}

/** Answers with an empty body. */
export const empty = (status: number): ForgeResponse => ({ status, headers: {}, body: '' })

interface Page<T> {
  readonly items: readonly T[]
  readonly headers: Record<string, string>
}

/**
 * Returns one page of a list with its headers. Pages have at most 50 entries whatever `limit` says.
 * The address in `Link` has the caller's parameters in alphabetical order.
 */
export function paginate<T>(call: Call, all: readonly T[]): Page<T> {
  const { path, query } = call.request
  const wanted = Number.parseInt(query.get('limit') ?? '', 10)
  const size = wanted > 0 ? Math.min(wanted, 50) : 30
  const page = Math.max(1, Number.parseInt(query.get('page') ?? '1', 10) || 1)
  const last = Math.max(1, Math.ceil(all.length / size))
  const link = (number: number, relation: string) => {
    const parameters = new URLSearchParams(query)
    parameters.set('page', String(number))
    parameters.sort()
    return `<${call.state.url}${path}?${parameters}>; rel="${relation}"`
  }
  const links = [
    ...(page < last ? [link(page + 1, 'next'), link(last, 'last')] : []),
    ...(page > 1 ? [link(1, 'first'), link(Math.min(page - 1, last), 'prev')] : []),
  ]
  const exposed = links.length === 0 ? 'X-Total-Count' : 'Link, X-Total-Count'
  return {
    items: all.slice((page - 1) * size, page * size),
    headers: {
      'access-control-expose-headers': exposed,
      'x-total-count': String(all.length),
      ...(links.length === 0 ? {} : { link: links.join(',') }),
    },
  }
}

/** Answers a page of a list. */
export async function answerPage<T>(
  call: Call,
  all: readonly T[],
  shape: (item: T) => unknown,
): Promise<ForgeResponse> {
  const { headers, items } = paginate(call, all)
  return answer(200, await Promise.all(items.map(shape)), headers)
}

/** Answers JSON with the type that both send. */
export function answer(
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): ForgeResponse {
  return json(status, value, { 'content-type': 'application/json;charset=utf-8', ...headers })
}
