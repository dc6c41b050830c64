// Reads the account of a token, the repositories that it can see, and permissions in them.
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type { Connection, HostCall } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { parseResponse, readClock, send, sendForJson } from '../http/request.ts'
import type { Access, ListedRepository, RepositoryPermission, Viewer } from '../platform.ts'
import { maxPageSize } from './request-rules.ts'

const viewerSchema = z
  .object({
    // The accounts of workflows, which are no people, have negative ids.
    id: z.int().positive(),
    login: z.string(),
    full_name: z.string().catch(''),
    avatar_url: z.string().catch(''),
  })
  .transform(
    (fields): Viewer => ({
      id: String(fields.id),
      login: fields.login,
      name: fields.full_name,
      avatarUrl: fields.avatar_url,
    }),
  )

const repository = z
  .object({
    id: z.int(),
    full_name: z.string(),
    private: z.boolean(),
    internal: z.boolean().catch(false),
    permissions: z.object({ admin: z.boolean(), push: z.boolean().catch(false) }).nullish(),
    description: z.string().catch(''),
    default_branch: z.string().catch(''),
    updated_at: z.string().catch(''),
  })
  .transform((fields) => ({
    updatedAt: Date.parse(fields.updated_at) || 0,
    listed: {
      id: String(fields.id),
      repo: fields.full_name,
      private: fields.private || fields.internal,
      admin: fields.permissions?.admin ?? false,
      push: fields.permissions?.push ?? false,
      description: fields.description,
      defaultBranch: fields.default_branch,
    } satisfies ListedRepository,
  }))

const maxSearchedRepositories = 1000

/** GET /user. Not cached, because it also checks whether the token is valid. */
export const getViewer: HostCall<'getViewer'> = (connection, token, signal) =>
  sendForJson(connection, { path: '/user', token, signal }, viewerSchema)

/** GET /user with a token, else GET /version. No header shows the scopes of a token. */
export const inspect: HostCall<'inspect'> = async (connection, token, signal) => {
  if (token === null) {
    const answer = await send(connection, { path: '/version', signal }).catch(ignoreRefusal)
    return { now: readClock(answer), viewer: null, scopes: null, missingScopes: [] }
  }
  const answer = await send(connection, { path: '/user', token, signal })
  const viewer = parseResponse(answer, viewerSchema)
  return { now: readClock(answer), viewer, scopes: null, missingScopes: [] }
}

/** A server that requires people to sign in is reachable. */
function ignoreRefusal(error: unknown): null {
  const refusals = ['platform_unauthorized', 'platform_forbidden']
  if (error instanceof PlatformError && refusals.includes(error.code)) return null
  throw error
}

/**
 * GET /user/repos, which neither filters nor sorts and doesn't know when something was pushed: that
 * happens here, by the last update.
 */
export const listRepositories: HostCall<'listRepositories'> = async (
  connection,
  token,
  input,
  signal,
) => {
  const { search = '', administered = false, page, perPage } = input
  const needle = search.toLowerCase()
  const call = { path: '/user/repos', token, signal }
  const all: z.output<typeof repository>[] = []
  for await (const one of readPages(connection, call, repository, maxPageSize)) {
    all.push(one)
    if (all.length === maxSearchedRepositories) break
  }
  const found = all
    .sort((a, b) => b.updatedAt - a.updatedAt)
    .map(({ listed }) => listed)
    .filter(({ repo, admin }) => repo.toLowerCase().includes(needle) && (admin || !administered))
  const end = page * perPage
  return { repositories: found.slice(end - perPage, end), hasMore: found.length > end }
}

/** GET /repos/{owner}/{repo}. */
export const getRepository: HostCall<'getRepository'> = async (connection, access, signal) => {
  const call = buildRepositoryCall(access, '', signal)
  return (await sendForJson(connection, call, repository)).listed
}

/**
 * GET /repos/{owner}/{repo} without a token. The visibility of the owner and the configuration of
 * the server count too.
 */
export const isPublic: HostCall<'isPublic'> = async (connection, access, signal) => {
  if ((await getRepository(connection, access, signal)).private) return false
  const { token: _, ...anonymous } = buildRepositoryCall(access, '', signal)
  try {
    await send(connection, anonymous)
    return true
  } catch (error) {
    const refusals = ['platform_unauthorized', 'platform_forbidden', 'platform_not_found']
    if (error instanceof PlatformError && refusals.includes(error.code)) return false
    throw error
  }
}

const collaborator = z.object({ permission: z.string() })

/**
 * GET /repos/{owner}/{repo}/collaborators/{login}/permission. It doesn't count teams that grant
 * access to parts of repositories, so these are read too.
 */
export const getPermission: HostCall<'getPermission'> = async (
  connection,
  access,
  login,
  signal,
) => {
  const path = `/collaborators/${encodeURIComponent(login)}/permission`
  const call = buildRepositoryCall(access, path, signal)
  const found = await findOrNull(sendForJson(connection, call, collaborator))
  if (found === null) return 'none'
  const permission = toPermission(found.permission)
  if (permission === 'admin' || permission === 'write') return permission
  return (await writesByTeam(connection, access, login, signal)) ? 'write' : permission
}

function toPermission(name: string): RepositoryPermission {
  if (name === 'owner') return 'admin'
  return name === 'admin' || name === 'write' || name === 'read' ? name : 'none'
}

const writing = ['write', 'admin', 'owner']
const team = z.object({
  id: z.int(),
  permission: z.string().catch(''),
  units_map: z.record(z.string(), z.string()).nullish().catch(null),
})

/** GET /repos/{owner}/{repo}/teams and GET /teams/{id}/members/{login}. */
async function writesByTeam(
  connection: Connection,
  access: Access,
  login: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const call = buildRepositoryCall(access, '/teams', signal)
  const teams = await findShown(sendForJson(connection, call, z.array(team)))
  const { token } = access
  for (const { id, permission, units_map: units } of teams ?? []) {
    if (!writing.includes(units?.['repo.code'] ?? permission)) continue
    const path = `/teams/${id}/members/${encodeURIComponent(login)}`
    if (await findShown(send(connection, { path, token, signal }))) return true
  }
  return false
}

/** Null where the token may not read it: members of a team are shown to its organization. */
async function findShown<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await findOrNull(request)
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'platform_forbidden') return null
    throw error
  }
}

/** Null for what doesn't exist. Repositories of people have no teams (405). */
async function findOrNull<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request
  } catch (error) {
    const isMissing =
      error instanceof PlatformError &&
      (error.code === 'platform_not_found' || error.status === 405)
    if (isMissing) return null
    throw error
  }
}
