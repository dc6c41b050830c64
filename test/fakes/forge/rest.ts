// The REST API: credentials, rate limit, repositories by name, and the table of routes.
import { permissionOf, permits } from './access.ts'
import { requireAppPermission } from './apps/app-permissions.ts'
import { appHookRoutes } from './apps/rest-app-hook.ts'
import { appRoutes } from './apps/rest-apps.ts'
import { installationRoutes } from './apps/rest-installations.ts'
import { checkRoutes } from './checks/rest-checks.ts'
import { answerConditionally } from './conditional.ts'
import type { Repository, Token } from './entities.ts'
import {
  type ForgeRequest,
  type ForgeResponse,
  header,
  json,
  matchPath,
  notFound,
  Refusal,
  refuse,
} from './http.ts'
import { accountRoutes } from './rest-accounts.ts'
import { commentRoutes } from './rest-comments.ts'
import { contentRoutes } from './rest-contents.ts'
import { labelRoutes } from './rest-labels.ts'
import { pullRoutes } from './rest-pulls.ts'
import { reactionRoutes } from './rest-reactions.ts'
import { repositoryRoutes } from './rest-repositories.ts'
import { reviewRoutes } from './rest-reviews.ts'
import { reviewRequestRoutes } from './review-requests.ts'
import type { GlobalRoute, Route } from './routes.ts'
import { countWrite } from './secondary-limit.ts'
import { apiUrl } from './shape-accounts.ts'
import type { ForgeState } from './state.ts'
import { toolRoutes } from './tools/rest-tools.ts'

const globalRoutes: readonly GlobalRoute[] = [
  ...accountRoutes,
  ...appRoutes,
  ...appHookRoutes,
  ...installationRoutes,
]

const routes: readonly Route[] = [
  ...repositoryRoutes,
  // Before /issues/:number and /pulls/:number.
  ...reviewRoutes,
  ...commentRoutes,
  ...pullRoutes,
  ...reactionRoutes,
  ...labelRoutes,
  ...reviewRequestRoutes,
  ...checkRoutes,
  ...toolRoutes,
  ...contentRoutes,
]

/** Answers a request under `/api/v3`. */
export async function serveRest(state: ForgeState, request: ForgeRequest): Promise<ForgeResponse> {
  const headers = commonHeaders(state, request)
  try {
    refuseEarly(state, request)
    if (isWrite(request)) countWrite(state, request)
    const response = await answerRest(state, request)
    const whole = { ...response, headers: { ...headers, ...response.headers } }
    return answerConditionally(state, request, whole)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return json(error.status, error.body, { ...headers, ...error.headers })
  }
}

/** Returns whether a request creates or changes something in a repository. */
function isWrite({ method, path }: ForgeRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && path.startsWith('/api/v3/repo')
}

/** The headers of all API answers. Counts the request against the rate limit. */
export function commonHeaders(state: ForgeState, request: ForgeRequest): Record<string, string> {
  const { rateLimit } = state
  const remaining = Math.min(rateLimit.remaining, rateLimit.limit)
  rateLimit.remaining = Math.max(0, rateLimit.remaining - 1)
  return {
    'x-github-media-type': 'github.v3; format=json',
    'x-github-request-id': String(state.requests.length),
    'x-ratelimit-limit': String(rateLimit.limit),
    'x-ratelimit-remaining': String(Math.max(0, remaining - 1)),
    'x-ratelimit-used': String(rateLimit.limit - Math.max(0, remaining - 1)),
    'x-ratelimit-reset': String(rateLimit.reset),
    'x-ratelimit-resource': request.path === '/api/graphql' ? 'graphql' : 'core',
    ...(request.token === null ? {} : scopeHeaders(request.token)),
  }
}

function scopeHeaders(token: Token): Record<string, string> {
  if (token.grant !== undefined) return {}
  return {
    'x-oauth-scopes': token.scopes.join(', '),
    'x-accepted-oauth-scopes': 'repo',
    ...(token.clientId === null ? {} : { 'x-oauth-client-id': token.clientId }),
  }
}

/** Throws GitHub's errors that come before routing. Call it after `commonHeaders`. */
export function refuseEarly(state: ForgeState, request: ForgeRequest): void {
  if (header(request, 'user-agent') === '') {
    throw refuse(
      403,
      'Request forbidden by administrative rules. Please make sure your request has a User-Agent header',
    )
  }
  if (request.credentials && request.token === null && request.jwt === null)
    throw refuse(401, 'Bad credentials')
  if (request.token?.grant?.installation.suspendedAt)
    throw refuse(403, 'This installation has been suspended')
  if (state.rateLimit.remaining === 0) {
    throw refuse(403, `API rate limit exceeded for user ID ${request.token?.user.id ?? 0}.`)
  }
}

async function answerRest(state: ForgeState, request: ForgeRequest): Promise<ForgeResponse> {
  const path = request.path.slice('/api/v3'.length)
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const found = findRoute(globalRoutes, method, path)
  if (found !== null) {
    const [handle, parameters] = found
    return await handle({ state, request, parameters, address: apiUrl(state) + path })
  }
  if (request.jwt !== null) throw refuse(401, 'Bad credentials')
  const [repository, below] = findRepository(state, request, path)
  const permission = permissionOf(request.token, repository)
  const known = permission === 'none' ? null : findRoute(routes, method, below)
  if (known === null) throw notFound()
  requireAppPermission(request.token, repository, method, below)
  const [handle, parameters] = known
  const address = `${apiUrl(state)}/repositories/${repository.id}${below}`
  return await handle({ state, request, repository, permission, parameters, address })
}

/** Returns the handler of the first route that matches, with the path's parameters. */
function findRoute<Handle>(
  table: readonly (readonly [method: string, pattern: string, handle: Handle])[],
  method: string,
  path: string,
): [Handle, Record<string, string>] | null {
  for (const [routeMethod, pattern, handle] of table) {
    const parameters = routeMethod === method ? matchPath(pattern, path) : null
    if (parameters !== null) return [handle, parameters]
  }
  return null
}

/**
 * Finds the repository of a path by name or id, and the path below it. Redirects from former names.
 */
// oxlint-disable-next-line complexity -- one condition for each kind of access
function findRepository(
  state: ForgeState,
  request: ForgeRequest,
  path: string,
): [Repository, string] {
  const [, kind, first = '', ...rest] = path.split('/')
  if (kind === 'repositories') {
    const byId = [...state.repositories.values()].find(
      (repository) => String(repository.id) === first,
    )
    if (byId === undefined) throw notFound()
    return [byId, rest.length === 0 ? '' : `/${rest.join('/')}`]
  }
  const name =
    matchPath('/repos/:owner/:repo/*below', path) ?? matchPath('/repos/:owner/:repo', path)
  if (name === null) throw notFound()
  const key = `${name.owner}/${name.repo}`.toLowerCase()
  const below = rest.length <= 1 ? '' : `/${rest.slice(1).join('/')}`
  const repository = state.repositories.get(key)
  if (repository !== undefined) return [repository, below]
  const moved = state.formerNames.get(key)
  if (moved === undefined || !permits(permissionOf(request.token, moved), 'read')) throw notFound()
  const query = request.query.size === 0 ? '' : `?${request.query}`
  const url = `${apiUrl(state)}/repositories/${moved.id}${below}${query}`
  const reading = request.method === 'GET' || request.method === 'HEAD'
  const message = reading ? 'Moved Permanently' : 'Temporary Redirect'
  throw new Refusal(reading ? 301 : 307, { message, url, documentation_url: '' }, { location: url })
}
