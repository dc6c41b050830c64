// Routes requests to GitLab's REST API, with the access checks and headers that all answers share.
import type { Repository, Token } from '../entities.ts'
import { type ForgeRequest, type ForgeResponse, header, json, matchPath, Refusal } from '../http.ts'
import type { ForgeState } from '../state.ts'
import { approvalRoutes } from './approvals.ts'
import {
  type Call,
  type Handle,
  notFound,
  type ProjectCall,
  type Route,
  refuse,
  refuseInput,
  unauthorized,
} from './calls.ts'
import { memoryOf } from './memory.ts'
import { readInput } from './read-input.ts'
import { contentRoutes } from './rest-contents.ts'
import { draftRoutes } from './rest-drafts.ts'
import { emojiRoutes } from './rest-emoji.ts'
import { eventRoutes } from './rest-events.ts'
import { hookRoutes } from './rest-hooks.ts'
import { issueRoutes } from './rest-issues.ts'
import { mergeRequestRoutes } from './rest-merge-requests.ts'
import { noteRoutes } from './rest-notes.ts'
import { globalRoutes, projectRoutes, sees } from './rest-projects.ts'
import { statusRoutes } from './rest-statuses.ts'
import { memberLevel, reachesApi } from './roles.ts'
import { apiUrl } from './shape-projects.ts'
import { countWrite } from './throttle.ts'

export const apiPath = '/api/v4'

const routes: readonly Route[] = [
  ...projectRoutes,
  ...hookRoutes,
  ...mergeRequestRoutes,
  ...approvalRoutes,
  ...emojiRoutes,
  ...noteRoutes,
  ...draftRoutes,
  ...issueRoutes,
  ...eventRoutes,
  ...statusRoutes,
  ...contentRoutes,
]

/** Answers a request below `/api/v4`, also with an error. */
export async function serveRest(state: ForgeState, request: ForgeRequest): Promise<ForgeResponse> {
  const headers = commonHeaders(state)
  try {
    const response = await answer(state, request)
    return { ...response, headers: { ...headers, ...response.headers } }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return json(error.status, error.body, { ...headers, ...error.headers })
  }
}

const commonHeaders = (state: ForgeState) => ({
  'x-request-id': `01FAKE${String(state.requests.length).padStart(20, '0')}`,
  'x-gitlab-meta': '{"correlation_id":"","version":"1"}',
  vary: 'Origin',
})

async function answer(state: ForgeState, request: ForgeRequest): Promise<ForgeResponse> {
  const path = request.path.slice(apiPath.length)
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const limit = countRequest(state, request)
  const token = authenticate(state, request)
  const input = readInput(request)
  if (token !== null && method !== 'GET') countWrite(state, request, token)
  const call: Call = { state, request, token, input, parameters: {} }
  checkScopes(call, method, path)
  const found = match(globalRoutes, method, path, call) ?? (await matchProject(call, method, path))
  if (found === null) throw refuseInput('404 Not Found', 404)
  const response = await found()
  return { ...response, headers: { ...limit, ...response.headers } }
}

/**
 * Counts a request against the settable limit. Beyond it the answer is a text, before the API is
 * reached at all (lib/gitlab/rack_attack.rb).
 */
function countRequest(state: ForgeState, request: ForgeRequest): Record<string, string> {
  const { rateLimit } = state
  const isLimited = rateLimit.remaining <= rateLimit.limit
  if (!isLimited) {
    rateLimit.remaining -= 1
    return {}
  }
  const headers = {
    'ratelimit-limit': String(rateLimit.limit),
    'ratelimit-name': 'throttle_authenticated_api',
    'ratelimit-observed': String(rateLimit.limit - rateLimit.remaining + 1),
    'ratelimit-remaining': String(Math.max(0, rateLimit.remaining - 1)),
    'ratelimit-reset': String(rateLimit.reset),
  }
  if (rateLimit.remaining === 0) {
    const seconds = Math.max(1, rateLimit.reset - Math.floor(state.clock().getTime() / 1000))
    throw new TextRefusal('Retry later\n', { ...headers, 'retry-after': String(seconds) }, request)
  }
  rateLimit.remaining -= 1
  return headers
}

/** A refusal whose body is a text. */
export class TextRefusal extends Error {
  readonly response: ForgeResponse
  constructor(text: string, headers: Record<string, string>, request: ForgeRequest) {
    super(`${request.method} ${request.path}: ${text}`)
    this.response = {
      status: 429,
      headers: { 'content-type': 'text/plain', ...headers },
      body: text,
    }
  }
}

/**
 * Returns the token of a request: from `PRIVATE-TOKEN`, a bearer, or basic authorization. Throws
 * 401 for one that isn't good, by what is wrong with it (lib/api/api_guard.rb).
 */
export function authenticate(state: ForgeState, request: ForgeRequest): Token | null {
  const text = credentialOf(request)
  if (text === null) return null
  const token = state.tokens.get(text)
  const isExpired = (token?.expiresAt ?? Number.POSITIVE_INFINITY) <= state.clock().getTime()
  if (isExpired)
    throw bearerError('Token is expired. You can either do re-authorization or token refresh.')
  if (memoryOf(state).revoked.has(text))
    throw bearerError('Token was revoked. You have to re-authorize from the user.')
  if (token === undefined) throw unauthorized()
  return token
}

function bearerError(description: string): Refusal {
  const challenge = `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${description}"`
  const body = { error: 'invalid_token', error_description: description }
  return new Refusal(401, body, { 'www-authenticate': challenge })
}

function credentialOf(request: ForgeRequest): string | null {
  const own = header(request, 'private-token') || request.query.get('private_token')
  if (own) return own
  const [, bearer] = /^Bearer\s+(.+)$/i.exec(header(request, 'authorization')) ?? []
  if (bearer !== undefined) return bearer.trim()
  const [, basic] = /^Basic\s+(.+)$/i.exec(header(request, 'authorization')) ?? []
  if (basic !== undefined)
    return Buffer.from(basic, 'base64').toString('utf8').split(':').slice(1).join(':')
  return request.query.get('access_token')
}

function checkScopes({ token }: Call, method: string, path: string): void {
  if (token === null || reachesApi(token, method, path)) return
  const scope = method === 'GET' ? 'api read_api' : 'api'
  throw new Refusal(403, {
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope,
  })
}

type Found = () => ForgeResponse | Promise<ForgeResponse>

function match<Given extends Call>(
  table: readonly (readonly [method: string, pattern: string, handle: Handle<Given>])[],
  method: string,
  path: string,
  call: Given,
): Found | null {
  for (const [routeMethod, pattern, handle] of table) {
    const parameters = routeMethod === method ? matchPath(pattern, path) : null
    if (parameters !== null) return () => handle({ ...call, parameters })
  }
  return null
}

/** Finds the route below `/projects/:id`, after the project itself was found. */
async function matchProject(call: Call, method: string, path: string): Promise<Found | null> {
  const [, kind, id, ...below] = path.split('/')
  if (kind !== 'projects' || id === undefined || id === '') return null
  const repository = findProject(call, decodeURIComponent(id))
  const user = call.token?.user
  const level = user === undefined ? 0 : memberLevel(user, repository)
  const rest = below.length === 0 ? '' : `/${below.join('/')}`
  const inside: ProjectCall = { ...call, repository, level }
  return match(routes, method, rest, inside)
}

/** Finds a project by its number or whole path. */
function findProject(call: Call, id: string): Repository {
  const { state } = call
  const byId = [...state.repositories.values()].find((one) => String(one.id) === id)
  const repository = byId ?? state.repositories.get(id.toLowerCase())
  const user = call.token?.user ?? null
  if (repository !== undefined && sees(user, repository)) return repository
  const moved = repository === undefined ? state.formerNames.get(id.toLowerCase()) : undefined
  if (moved === undefined || !sees(user, moved)) throw notFound('Project')
  throw movedTo(call, moved)
}

/** Redirects what reads from a former path, and refuses everything else (lib/api/helpers.rb). */
function movedTo({ request, state }: Call, repository: Repository): Refusal {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return refuse(405, 'Non GET methods are not allowed for moved projects')
  const rest = request.path
    .split('/')
    .slice(5)
    .map((part) => `/${part}`)
  const query = request.query.size === 0 ? '' : `?${request.query}`
  const location = `${apiUrl(state)}/projects/${repository.id}${rest.join('')}${query}`
  return refuse(301, `This resource has been moved permanently to ${location}`, { location })
}
