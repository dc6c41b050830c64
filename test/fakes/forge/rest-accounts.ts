// REST routes of accounts: the caller, other users, and the rate limit.
import { permissionOf, permits } from './access.ts'
import { notAccessible } from './apps/app-permissions.ts'
import type { Repository, User } from './entities.ts'
import { type ForgeResponse, json, notFound, paginate } from './http.ts'
import { type GlobalCall, type GlobalRoute, requireUser } from './routes.ts'
import { apiUrl, shapeProfile, shapeRepository } from './shape-accounts.ts'
import { fullName } from './state.ts'

export const accountRoutes: readonly GlobalRoute[] = [
  ['GET', '/user', (call) => json(200, shapeProfile(call.state, requirePerson(call)))],
  ['GET', '/user/repos', listOwnRepositories],
  ['GET', '/users/:login', showUser],
  ['GET', '/rate_limit', showRateLimit],
]

/** Returns the person who calls; an installation isn't one. */
function requirePerson({ request }: GlobalCall): User {
  if (request.token?.grant !== undefined) throw notAccessible()
  return requireUser(request)
}

function showRateLimit({ state: { rateLimit } }: GlobalCall): ForgeResponse {
  const remaining = Math.min(rateLimit.remaining, rateLimit.limit)
  const rate = { ...rateLimit, remaining, used: rateLimit.limit - remaining }
  const search = { limit: 30, remaining: 30, used: 0, reset: rateLimit.reset }
  return json(200, { resources: { core: rate, graphql: rate, search }, rate })
}

function showUser({ parameters, state }: GlobalCall): ForgeResponse {
  const user = state.users.get(parameters.login!.toLowerCase())
  if (user === undefined) throw notFound()
  return json(200, shapeProfile(state, user))
}

function listOwnRepositories(call: GlobalCall): ForgeResponse {
  const { request, state } = call
  const user = requirePerson(call)
  const all = [...state.repositories.values()]
    .filter(
      (repository) =>
        permits(permissionOf(request.token, repository), 'read') &&
        (repository.owner.id === user.id || repository.collaborators.has(user.login.toLowerCase())),
    )
    .sort((one, other) => (fullName(one).toLowerCase() < fullName(other).toLowerCase() ? -1 : 1))
  const sort = request.query.get('sort')
  // The newest come first; those of the same time are sorted by their age here.
  const time = (repository: Repository) =>
    sort === 'created' ? repository.createdAt : repository.pushedAt
  const byTime = sort === 'created' || sort === 'pushed' || sort === 'updated'
  if (byTime) all.sort((one, other) => time(other).localeCompare(time(one)) || other.id - one.id)
  const [page, headers] = paginate(request, `${apiUrl(state)}/user/repos`, all)
  const shapes = page.map((repository) =>
    shapeRepository(state, repository, permissionOf(request.token, repository)),
  )
  return json(200, shapes, headers)
}
