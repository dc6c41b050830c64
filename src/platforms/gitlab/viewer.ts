// Reads the account of a token, the repositories that it can see, and permissions in them.
import { z } from 'zod'
import { toRepositoryName } from '../../contract/repository-name.ts'
import { isNotFound } from '../../domain/errors.ts'
import type { Connection, HostCall } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import { invalidResponse, sendForJson } from '../http/request.ts'
import type { Access, ListedRepository, RepositoryPermission, Viewer } from '../platform.ts'
import { buildProjectCall } from './project-calls.ts'

/** https://docs.gitlab.com/api/access_requests/#valid-access-levels */
const levels = { guest: 10, developer: 30, maintainer: 40 }

export const viewerSchema = z
  .object({
    id: z.int(),
    username: z.string(),
    name: z.string().nullish(),
    avatar_url: z.string().nullish(),
  })
  .transform(
    (fields): Viewer => ({
      id: String(fields.id),
      login: fields.username,
      name: fields.name ?? '',
      avatarUrl: fields.avatar_url ?? '',
    }),
  )

const membership = z.object({ access_level: z.int() }).nullish().catch(null)

const project = z.object({
  id: z.int(),
  path_with_namespace: z.string(),
  visibility: z.string().catch('private'),
  permissions: z
    .object({ project_access: membership, group_access: membership })
    .nullish()
    .catch(null),
  description: z.string().nullish(),
  default_branch: z.string().nullish(),
  /** Members alone may see the files of a public project. */
  repository_access_level: z.string().catch('enabled'),
  issues_access_level: z.string().catch('enabled'),
  merge_requests_access_level: z.string().catch('enabled'),
})
type Project = z.output<typeof project>

const maxSearchedRepositories = 1000
/** GitLab compares shorter texts with whole names. */
const minSearchLength = 3

/** GET /user. Not cached, because it also checks whether the token is valid. */
export const getViewer: HostCall<'getViewer'> = (connection, token, signal) =>
  sendForJson(connection, { path: '/user', token, signal }, viewerSchema)

/**
 * GET /projects of which the account is a member. GitLab finds texts in descriptions too, so the
 * names are compared here again.
 */
export const listRepositories: HostCall<'listRepositories'> = async (
  connection,
  token,
  input,
  signal,
) => {
  const { administered = false, page, perPage } = input
  const needle = (input.search ?? '').toLowerCase().replaceAll(':', '/')
  const query = new URLSearchParams({ membership: 'true', order_by: 'last_activity_at' })
  if (administered) query.set('min_access_level', String(levels.maintainer))
  if (needle.length >= minSearchLength) {
    query.set('search', needle)
    query.set('search_namespaces', 'true')
  }
  const found: ListedRepository[] = []
  const end = page * perPage
  let searched = 0
  for await (const listed of readPages(
    connection,
    { path: `/projects?${query}`, token, signal },
    project,
  )) {
    const repository = toListedRepository(listed, administered)
    const isMatch = listed.path_with_namespace.toLowerCase().includes(needle)
    if (isMatch && repository !== undefined) found.push(repository)
    searched += 1
    if (searched === maxSearchedRepositories || found.length > end) break
  }
  return { repositories: found.slice(end - perPage, end), hasMore: found.length > end }
}

/** GET /projects/{id}. */
export const getRepository: HostCall<'getRepository'> = async (connection, access, signal) => {
  const repository = toListedRepository(await readProject(connection, access, signal), false)
  if (repository === undefined) throw invalidResponse('The project has a name that none can have.')
  return repository
}

/** Whether everybody can see the project with its files, issues and merge requests. */
export const isPublic: HostCall<'isPublic'> = async (connection, access, signal) => {
  const fields = await readProject(connection, access, signal)
  const { repository_access_level: files, issues_access_level: issues } = fields
  const levels = [files, issues, fields.merge_requests_access_level]
  return fields.visibility === 'public' && levels.every((level) => level === 'enabled')
}

function readProject(
  connection: Connection,
  access: Access,
  signal: AbortSignal | undefined,
): Promise<Project> {
  return sendForJson(connection, buildProjectCall(access, '', signal), project)
}

/** Lists show no levels that groups further up grant: a filter of the list proves them. */
function toListedRepository(
  { permissions, ...fields }: Project,
  isAdministered: boolean,
): ListedRepository | undefined {
  const repo = toRepositoryName(fields.path_with_namespace)
  if (repo === undefined) return undefined
  const level = Math.max(
    permissions?.project_access?.access_level ?? 0,
    permissions?.group_access?.access_level ?? 0,
    isAdministered ? levels.maintainer : 0,
  )
  return {
    id: String(fields.id),
    repo,
    private: fields.visibility !== 'public',
    admin: level >= levels.maintainer,
    push: level >= levels.developer,
    description: fields.description ?? '',
    defaultBranch: fields.default_branch ?? '',
  }
}

const account = z.object({ id: z.int() })
const member = z.object({ access_level: z.int(), state: z.string().catch('active') })

/** GET /projects/{id}/members/all/{user}, which includes what groups grant. */
export const getPermission: HostCall<'getPermission'> = async (
  connection,
  access,
  login,
  signal,
) => {
  const { token } = access
  const query = new URLSearchParams({ username: login })
  const users = { path: `/users?${query}`, token, signal }
  const [user] = await sendForJson(connection, users, z.array(account))
  if (user === undefined) return 'none'
  try {
    const call = buildProjectCall(access, `/members/all/${user.id}`, signal)
    const { access_level: level, state } = await sendForJson(connection, call, member)
    return state === 'active' ? toPermission(level) : 'none'
  } catch (error) {
    if (!isNotFound(error)) throw error
    return (await isPublic(connection, access, signal)) ? 'read' : 'none'
  }
}

/** Maintainers manage webhooks. */
function toPermission(level: number): RepositoryPermission {
  if (level >= levels.maintainer) return 'admin'
  if (level >= levels.developer) return 'write'
  return level >= levels.guest ? 'read' : 'none'
}
