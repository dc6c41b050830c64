// Requests and answers of the forge, and path matching.
import type { Token } from './entities.ts'
import type { SeenRequest } from './state.ts'

export interface ForgeRequest {
  readonly seen: SeenRequest
  readonly method: string
  /** Path as it was sent, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  readonly token: Token | null
  /** The JSON Web Token of an App, not checked yet. */
  readonly jwt: string | null
  /** Whether the request had credentials, valid or not. */
  readonly credentials: boolean
}

export interface ForgeResponse {
  readonly status: number
  readonly headers: Record<string, string | readonly string[]>
  readonly body: Buffer | string
}

/** A request to the REST API and its answer, with bodies as they were sent. */
export interface Exchange {
  readonly method: string
  /** Below the root of the API, without the query. */
  readonly path: string
  readonly query: string
  readonly requestBody: string
  readonly status: number
  /** Empty for answers that aren't JSON. */
  readonly responseBody: string
}

/** Thrown to answer with an error, whose body has the format of the dialect. */
export class Refusal extends Error {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(status: number, body: Record<string, unknown>, headers: Record<string, string> = {}) {
    super(String(body.message))
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** Creates an error answer with GitHub's message, optional list of errors, and status. */
export function refuse(status: number, message: string, errors?: unknown[]): Refusal {
  return new Refusal(status, {
    message,
    ...(errors === undefined ? {} : { errors }),
    documentation_url: 'https://docs.github.com/rest',
    status: String(status),
  })
}

export const notFound = (): Refusal => refuse(404, 'Not Found')

/** Creates a `Validation Failed` error about one field. */
export function invalid(resource: string, field: string, code: string, message?: string): Refusal {
  return refuse(422, 'Validation Failed', [
    { resource, code, field, ...(message === undefined ? {} : { message }) },
  ])
}

export function json(
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): ForgeResponse {
  const type = { 'content-type': 'application/json; charset=utf-8' }
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(value) }
}

export const noContent = (): ForgeResponse => ({ status: 204, headers: {}, body: '' })

/** Parses the body as a JSON object. An empty body is an empty object, as at GitHub. */
export function jsonBody(request: ForgeRequest): Record<string, unknown> {
  if (request.body.length === 0) return {}
  let value: unknown
  try {
    value = JSON.parse(request.body.toString('utf8'))
  } catch {
    throw refuse(400, 'Problems parsing JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refuse(400, 'Body should be a JSON object')
  }
  return value as Record<string, unknown>
}

/** A header as one string; empty where it is missing. */
export function header(request: ForgeRequest, name: string): string {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : (value ?? '')
}

/** Returns whether the client accepts this GitHub media type (`diff`, `raw`), in any spelling. */
export function accepts(request: ForgeRequest, media: string): boolean {
  return new RegExp(`application/vnd\\.github\\.(v3\\.)?${media}(\\+json)?(\\s*[;,]|$)`).test(
    header(request, 'accept'),
  )
}

/**
 * Matches a path against a pattern such as `/pulls/:number` or `/contents/*path` (the rest, slashes
 * included). Returns the decoded parameters; null where it doesn't match or can't be decoded.
 */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const parameters: Record<string, string> = {}
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  for (const [index, part] of wanted.entries()) {
    const rest = part.startsWith('*')
    const text = rest ? given.slice(index).join('/') : given[index]
    if (text === undefined) return null
    if (part.startsWith(':') || rest) {
      const decoded = decodePart(text)
      if (decoded === null || (decoded === '' && !rest)) return null
      parameters[part.slice(1)] = decoded
      if (rest) return parameters
    } else if (part !== text) return null
  }
  return wanted.length === given.length ? parameters : null
}

function decodePart(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/**
 * Returns one page of a list with GitHub's `Link` header. `address` is the list's absolute URL
 * without page parameters.
 */
export function paginate<T>(
  request: ForgeRequest,
  address: string,
  items: readonly T[],
): [T[], Record<string, string>] {
  const size = Math.min(
    100,
    Math.max(1, Number.parseInt(request.query.get('per_page') ?? '30', 10) || 30),
  )
  const page = Math.max(1, Number.parseInt(request.query.get('page') ?? '1', 10) || 1)
  const last = Math.max(1, Math.ceil(items.length / size))
  const link = (number: number, relation: string) => {
    const query = new URLSearchParams(request.query)
    query.set('page', String(number))
    return `<${address}?${query}>; rel="${relation}"`
  }
  const links = [
    ...(page > 1 ? [link(page - 1, 'prev')] : []),
    ...(page < last ? [link(page + 1, 'next'), link(last, 'last')] : []),
    ...(page > 1 ? [link(1, 'first')] : []),
  ]
  return [
    items.slice((page - 1) * size, page * size),
    links.length === 0 ? {} : { link: links.join(', ') },
  ]
}
