// Routes outside of repositories: the version, accounts, and lists of repositories.
import type { Repository } from '../entities.ts'
import type { ForgeResponse } from '../http.ts'
import { fullName } from '../state.ts'
import {
  answer,
  answerPage,
  type Call,
  notFound,
  paginate,
  permissionOf,
  type Route,
  refuse,
  requireUser,
} from './host.ts'
import { shapeRepository, shapeUser } from './shape-accounts.ts'

export const accountRoutes: readonly Route<Call>[] = [
  ['GET', '/version', ({ profile }) => answer(200, { version: profile.version })],
  ['GET', '/settings/api', showSettings],
  ['GET', '/user', showViewer],
  ['GET', '/user/repos', listOwn],
  ['GET', '/users/:login', showUser],
  ['GET', '/repos/search', search],
  ['GET', '/repositories/:id', showById],
]

function showSettings({ profile }: Call): ForgeResponse {
  return answer(200, {
    ...{ max_response_items: 50, default_paging_num: 30, default_git_trees_per_page: 1000 },
    default_max_blob_size: 10_485_760,
    ...profile.settings,
  })
}

function showViewer(call: Call): ForgeResponse {
  const user = requireUser(call)
  return answer(200, shapeUser(call, user, user))
}

function showUser(call: Call): ForgeResponse {
  const { login } = call.parameters
  const user = call.state.users.get(login!.toLowerCase())
  if (user === undefined) throw refuse(call, 404, `user redirect does not exist [name: ${login}]`)
  return answer(200, shapeUser(call, user, call.request.token?.user ?? null))
}

const byName = (one: Repository, other: Repository) =>
  one.name.toLowerCase().localeCompare(other.name.toLowerCase()) || one.id - other.id

function shapeFor(call: Call, repository: Repository): unknown {
  const viewer = call.request.token?.user ?? null
  return shapeRepository(call, repository, permissionOf(viewer, repository), viewer)
}

/** Lists what the caller owns or collaborates on, by name: it can't be sorted otherwise. */
function listOwn(call: Call): Promise<ForgeResponse> {
  const user = requireUser(call)
  const found = [...call.state.repositories.values()].filter(
    ({ collaborators, owner }) => owner === user || collaborators.has(user.login.toLowerCase()),
  )
  return answerPage(call, found.sort(byName), (repository) => shapeFor(call, repository))
}

/**
 * Lists what the caller can see, public repositories of others too, by a part of the name, or of
 * the full name where it has a slash. `%` and `_` match anything, which nobody escapes.
 */
async function search(call: Call): Promise<ForgeResponse> {
  const { query } = call.request
  const text = (query.get('q') ?? '').toLowerCase()
  const pattern = new RegExp(
    RegExp.escape(text).replaceAll(RegExp.escape('%'), '.*').replaceAll('_', '.'),
    's',
  )
  const viewer = call.request.token?.user ?? null
  const found = [...call.state.repositories.values()].filter((repository) => {
    const name = text.includes('/') ? fullName(repository) : repository.name
    const isSeen = permissionOf(viewer, repository) !== 'none'
    return isSeen && pattern.test(name.toLowerCase()) && isOf(repository, query.get('uid'), query)
  })
  found.sort(sortOf(query.get('sort')))
  if (query.get('order') === 'desc') found.reverse()
  const { headers, items } = paginate(call, found)
  const data = items.map((repository) => shapeFor(call, repository))
  return answer(200, { ok: true, data }, headers)
}

/** Whether it belongs to an account, or without `exclusive` is one that the account works on. */
function isOf(repository: Repository, uid: string | null, query: URLSearchParams): boolean {
  if (uid === null || repository.owner.id === Number(uid)) return true
  return query.get('exclusive') !== 'true' && repository.collaborators.size > 0
}

function sortOf(sort: string | null): (one: Repository, other: Repository) => number {
  if (sort === 'id') return (one, other) => one.id - other.id
  if (sort === 'created') return (one, other) => one.createdAt.localeCompare(other.createdAt)
  if (sort === 'updated')
    return (one, other) => one.pushedAt.localeCompare(other.pushedAt) || one.id - other.id
  return byName
}

function showById(call: Call): ForgeResponse {
  const found = [...call.state.repositories.values()].find(
    ({ id }) => String(id) === call.parameters.id,
  )
  const viewer = call.request.token?.user ?? null
  if (found === undefined || permissionOf(viewer, found) === 'none') throw notFound(call)
  return answer(200, shapeFor(call, found) as object)
}
