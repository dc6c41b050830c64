// REST routes of the server, of people, and of projects with their members.
import { accountPermission, permits } from '../access.ts'
import type { Repository, User } from '../entities.ts'
import { type ForgeResponse, json } from '../http.ts'
import { fullName } from '../state.ts'
import {
  badRequest,
  type Call,
  flag,
  notFound,
  oneOf,
  type ProjectCall,
  type Route,
  refuse,
  requireUser,
  unauthorized,
} from './calls.ts'
import { answerKeyset, answerPage } from './pages.ts'
import { memberLevel } from './roles.ts'
import {
  shapeCurrentUser,
  shapeMember,
  shapeProject,
  shapeProjectSimply,
  shapeUser,
} from './shape-projects.ts'

const version = '18.6.0'
const revision = '4c2f1b7a9d0'

export const globalRoutes: readonly Route<Call>[] = [
  ['GET', '/version', showVersion],
  ['GET', '/metadata', showMetadata],
  ['GET', '/user', (call) => json(200, shapeCurrentUser(call.state, requireUser(call)))],
  ['GET', '/personal_access_tokens/self', showToken],
  ['GET', '/users', listUsers],
  ['GET', '/users/:id', showUser],
  ['GET', '/projects', listProjects],
]

export const projectRoutes: readonly Route[] = [
  ['GET', '', showProject],
  ['GET', '/members/all', listMembers],
  ['GET', '/members', listMembers],
  ['GET', '/members/all/:user', showMember],
  ['GET', '/members/:user', showMember],
]

/** Only who has an account may know the server's version. */
function showVersion(call: Call): ForgeResponse {
  requireUser(call)
  return json(200, { version, revision })
}

function showMetadata(call: Call): ForgeResponse {
  requireUser(call)
  const kas = { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null }
  return json(200, { version, revision, kas, enterprise: false })
}

/** What a personal token may do; tokens of a sign-in have another address for that. */
function showToken(call: Call): ForgeResponse {
  const user = requireUser(call)
  const { clientId, expiresAt, scopes } = call.token!
  if (clientId !== null)
    throw badRequest('This endpoint requires token type to be a personal access token')
  const end = expiresAt === undefined ? null : new Date(expiresAt).toISOString().slice(0, 10)
  return json(200, {
    ...{ id: user.id, name: 'token', revoked: false, description: null, last_used_at: null },
    ...{ created_at: '2020-01-01T00:00:00.000Z', active: true, last_used_ips: [] },
    ...{ scopes, user_id: user.id, expires_at: end },
  })
}

const people = (call: Call) =>
  [...call.state.users.values()].filter(({ type }) => type !== 'Organization')

/** People by name: without an account one must be asked for. */
async function listUsers(call: Call): Promise<ForgeResponse> {
  const { search, username } = call.input
  if (call.token === null && username === undefined) throw refuse(403, '403 Forbidden')
  const wanted = people(call).filter(
    ({ login, name }) =>
      (username === undefined || login.toLowerCase() === String(username).toLowerCase()) &&
      (search === undefined || `${login} ${name}`.includes(String(search))),
  )
  return await answerPage(call, wanted, (user) => shapeUser(call.state, user))
}

function showUser(call: Call): ForgeResponse {
  const user = people(call).find(({ id }) => String(id) === call.parameters.id)
  if (user === undefined) throw notFound('User')
  return json(200, { ...shapeUser(call.state, user), bot: user.type === 'Bot' })
}

export const sees = (user: User | null, repository: Repository) =>
  user === null ? !repository.private : permits(accountPermission(user, repository), 'read')

const orders = ['id', 'name', 'path', 'created_at', 'updated_at', 'last_activity_at'] as const

const sortKeys: Readonly<Record<(typeof orders)[number], (one: Repository) => string | number>> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  path: ({ name }) => name,
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ pushedAt }) => pushedAt,
  last_activity_at: ({ pushedAt }) => pushedAt,
}

async function listProjects(call: Call): Promise<ForgeResponse> {
  const user = call.token?.user ?? null
  const order = oneOf(call, 'order_by', orders, 'created_at')
  const direction = oneOf(call, 'sort', ['asc', 'desc'], 'desc')
  const key = sortKeys[order]
  const projects = [...call.state.repositories.values()]
    .filter((repository) => sees(user, repository) && isWanted(call, repository))
    .sort((one, other) =>
      key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : one.id - other.id,
    )
  if (direction === 'desc') projects.reverse()
  const shape = (repository: Repository) =>
    flag(call, 'simple') === true
      ? shapeProjectSimply(call.state, repository)
      : shapeProject(call.state, repository, user)
  if (call.input.pagination !== 'keyset') return await answerPage(call, projects, shape)
  if (order !== 'id')
    throw refuse(405, 'Keyset pagination is not yet available for this type of request')
  const name = direction === 'asc' ? 'id_after' : 'id_before'
  return await answerKeyset(call, projects, shape, { name, of: ({ id }) => String(id) })
}

/** Whether the caller has the role in a project that the list is asked for. */
function hasRole(call: Call, repository: Repository): boolean {
  const user = call.token?.user ?? null
  const level = user === null ? 0 : memberLevel(user, repository)
  const minimum = Number(call.input.min_access_level ?? 0)
  const isMember = flag(call, 'membership') !== true || level > 0
  const isOwner = flag(call, 'owned') !== true || repository.owner === user
  return isMember && isOwner && level >= minimum
}

function isWanted(call: Call, repository: Repository): boolean {
  const { search, visibility } = call.input
  if (!hasRole(call, repository) || flag(call, 'archived') === true) return false
  if (visibility !== undefined && (visibility === 'private') !== repository.private) return false
  if (search === undefined) return true
  const name = flag(call, 'search_namespaces') === true ? fullName(repository) : repository.name
  const text = `${name} ${repository.description ?? ''}`.toLowerCase()
  return text.includes(String(search).toLowerCase())
}

function showProject(call: ProjectCall): ForgeResponse {
  return json(200, shapeProject(call.state, call.repository, call.token?.user ?? null))
}

const membersOf = (call: ProjectCall) =>
  people(call).filter((user) => memberLevel(user, call.repository) > 0)

async function listMembers(call: ProjectCall): Promise<ForgeResponse> {
  if (call.token === null) throw unauthorized()
  const { query } = call.input
  const wanted = membersOf(call).filter(
    ({ login, name }) => query === undefined || `${login} ${name}`.includes(String(query)),
  )
  return await answerPage(call, wanted, (user) => shapeMember(call.state, user, call.repository))
}

/** Who isn't a member isn't found, also in public projects. */
function showMember(call: ProjectCall): ForgeResponse {
  if (call.token === null) throw unauthorized()
  const member = membersOf(call).find(({ id }) => String(id) === call.parameters.user)
  if (member === undefined) throw notFound()
  return json(200, shapeMember(call.state, member, call.repository))
}
