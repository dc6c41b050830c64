// The REST API of Gitea and Forgejo: credentials, scopes, repositories by name, and the routes.
import type { Repository, Token } from '../entities.ts'
import { type ForgeRequest, type ForgeResponse, json, matchPath, Refusal } from '../http.ts'
import { encodePath } from '../shape-accounts.ts'
import { fullName } from '../state.ts'
import {
  type Call,
  empty,
  type Host,
  notFound,
  permissionOf,
  type RepositoryCall,
  type Route,
  refuse,
} from './host.ts'
import { accountRoutes } from './rest-accounts.ts'
import { commentRoutes } from './rest-comments.ts'
import { hookRoutes } from './rest-hooks.ts'
import { pullRoutes } from './rest-pulls.ts'
import { repositoryRoutes } from './rest-repository.ts'
import { reviewRoutes } from './rest-reviews.ts'
import { timelineRoutes } from './rest-timeline.ts'

const routes: readonly Route<RepositoryCall>[] = [
  ...repositoryRoutes,
  ...hookRoutes,
  ...commentRoutes,
  ...pullRoutes,
  ...reviewRoutes,
  ...timelineRoutes,
]

export const apiPath = '/api/v1'

/** Answers a request under `/api/v1`. */
export async function serveRest(host: Host, request: ForgeRequest): Promise<ForgeResponse> {
  const headers = {
    'cache-control': 'max-age=0, private, must-revalidate, no-transform',
    'x-content-type-options': 'nosniff',
    ...host.profile.headers,
  }
  try {
    const response = await answerRest(host, request)
    return { ...response, headers: { ...headers, ...response.headers } }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const type = { 'content-type': 'application/json;charset=utf-8' }
    return json(error.status, error.body, { ...type, ...headers, ...error.headers })
  }
}

/** The answer for an address that no route has. */
const noPage = (): ForgeResponse => ({
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: '404 page not found\n',
})

async function answerRest(host: Host, request: ForgeRequest): Promise<ForgeResponse> {
  const path = request.path.slice(apiPath.length)
  const method = request.method === 'HEAD' ? 'GET' : request.method
  if (request.credentials && request.token === null) throw refuse(host, 401, host.profile.badToken)
  requireScopes(host, request.token, method, path)
  const call: Call = { ...host, request, parameters: {} }
  const found = findRoute(accountRoutes, method, path)
  if (found !== null) return await run(call, found)
  const name =
    matchPath('/repos/:owner/:repo/*below', path) ?? matchPath('/repos/:owner/:repo', path)
  if (name === null) return noPage()
  const below = `/${path.split('/').slice(4).join('/')}`.replace(/^\/$/, '')
  const route = findRoute(routes, method, below)
  if (route === null) return noPage()
  const repository = host.state.repositories.get(`${name.owner}/${name.repo}`.toLowerCase())
  if (repository === undefined) return redirectOrRefuse(call, name, below)
  const permission = permissionOf(request.token?.user ?? null, repository)
  if (permission === 'none') throw notFound(host)
  return await run({ ...call, repository, permission }, route)
}

type Found<Input> = readonly [
  handle: Route<Input>[2] | null,
  parameters: Readonly<Record<string, string>>,
]

/** Finds a route; without a handler where only other methods have the address. */
function findRoute<Input>(
  table: readonly Route<Input>[],
  method: string,
  path: string,
): Found<Input> | null {
  let other: Found<Input> | null = null
  for (const [routeMethod, pattern, handle] of table) {
    const parameters = matchPath(pattern, path)
    if (parameters === null) continue
    if (routeMethod === method) return [handle, parameters]
    other ??= [null, parameters]
  }
  return other
}

async function run<Input extends Call>(
  call: Input,
  [handle, parameters]: Found<Input>,
): Promise<ForgeResponse> {
  return handle === null ? empty(405) : await handle({ ...call, parameters })
}

/** Redirects from a former name with a page of HTML, without a check of access, as observed at both. */
function redirectOrRefuse(
  call: Call,
  name: Readonly<Record<string, string>>,
  below: string,
): ForgeResponse {
  const { profile, request, state } = call
  const moved: Repository | undefined = state.formerNames.get(
    `${name.owner}/${name.repo}`.toLowerCase(),
  )
  if (moved === undefined) {
    if (state.users.has(name.owner!.toLowerCase())) throw notFound(call)
    throw notFound(call, 'GetUserByName', `user redirect does not exist [name: ${name.owner}]`)
  }
  const query = request.query.size === 0 ? '' : `?${request.query}`
  const location = `${apiPath}/repos/${encodePath(fullName(moved))}${below}${query}`
  const text = profile.movedStatus === 301 ? 'Moved Permanently' : 'Temporary Redirect'
  return {
    status: profile.movedStatus,
    headers: { 'content-type': 'text/html; charset=utf-8', location },
    body: `<a href="${location}">${text}</a>.\n\n`,
  }
}

/** The kinds of scopes that an address needs. Reviews belong to the repository, comments don't. */
function neededKinds(path: string): readonly string[] {
  if (path === '/user/repos') return ['user', 'repository']
  if (/^\/users?(\/|$)/.test(path)) return ['user']
  if (/^\/repos\/[^/]+\/[^/]+\/(issues|labels|milestones)(\/|$)/.test(path)) return ['issue']
  return /^\/(repos|repositories)\//.test(path) ? ['repository'] : []
}

/** Throws 403 for a token without the scope of an address: `write:issue`, `read:repository`. */
function requireScopes(host: Host, token: Token | null, method: string, path: string): void {
  if (token === null || token.scopes.length === 0 || token.scopes.includes('all')) return
  for (const kind of neededKinds(path)) {
    const [read, write] = [`read:${kind}`, `write:${kind}`]
    const needed = method === 'GET' ? read : write
    if (token.scopes.includes(write) || token.scopes.includes(needed)) continue
    const message = 'token does not have at least one of required scope(s)'
    const more = host.profile.namesTokenScopes
      ? `, required=[${needed}], token scope=${token.scopes.join(',')}`
      : `: [${needed}]`
    throw refuse(host, 403, message + more)
  }
}
