// Reads the account of a token, the repositories that it can see, and permissions in them.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type {
  Access,
  ListedRepository,
  RepositoryPage,
  RepositoryPermission,
  Viewer,
} from '../platform.ts'
import { readPages } from './read-pages.ts'
import { buildRepositoryCall } from './repository-calls.ts'
import { type Connection, sendForJson } from './request.ts'

export const viewerSchema = z
  .object({
    id: z.int(),
    login: z.string(),
    name: z.string().nullish(),
    avatar_url: z.string().catch(''),
  })
  .transform(
    (fields): Viewer => ({
      id: String(fields.id),
      login: fields.login,
      name: fields.name ?? '',
      avatarUrl: fields.avatar_url,
    }),
  )

const repository = z
  .object({
    id: z.int(),
    full_name: z.string(),
    private: z.boolean(),
    permissions: z.object({ admin: z.boolean(), push: z.boolean().catch(false) }).optional(),
    description: z.string().nullish(),
    default_branch: z.string().catch(''),
  })
  .transform(
    (fields): ListedRepository => ({
      id: String(fields.id),
      repo: fields.full_name,
      private: fields.private,
      admin: fields.permissions?.admin ?? false,
      push: fields.permissions?.push ?? false,
      description: fields.description ?? '',
      defaultBranch: fields.default_branch,
    }),
  )

const maxSearchedRepositories = 1000

/** GET /user. Not cached, because it also checks whether the token is valid. */
export function getViewer(
  connection: Connection,
  token: string,
  signal?: AbortSignal,
): Promise<Viewer> {
  return sendForJson(connection, { path: '/user', token, signal }, viewerSchema)
}

/**
 * Caches the accounts of at most `maxTokens` tokens, by digest so that no token stays in memory.
 * An App has one account, whose tokens are renewed often.
 */
export function createViewerCache(connection: Connection, maxTokens = 500) {
  const viewers = new Map<string, Viewer>()
  return async function getCachedViewer(access: Access, signal?: AbortSignal): Promise<Viewer> {
    const { token, appSlug } = access
    const key =
      appSlug === undefined ? createHash('sha256').update(token).digest('base64') : `app ${appSlug}`
    const viewer = viewers.get(key) ?? (await readViewer(connection, access, signal))
    viewers.delete(key)
    viewers.set(key, viewer)
    if (viewers.size > maxTokens) viewers.delete(viewers.keys().next().value!)
    return viewer
  }
}

/** GET /users/{slug}[bot] for an installation token, which GET /user refuses. */
function readViewer(
  connection: Connection,
  { token, appSlug }: Access,
  signal: AbortSignal | undefined,
): Promise<Viewer> {
  if (appSlug === undefined) return getViewer(connection, token, signal)
  const path = `/users/${encodeURIComponent(`${appSlug}[bot]`)}`
  return sendForJson(connection, { path, token, signal }, viewerSchema)
}

/**
 * GET /user/repos. The API can't filter by name or permission, so that happens here, on the first
 * 1,000 repositories.
 */
export async function listRepositories(
  connection: Connection,
  token: string,
  input: { search?: string; administered?: boolean; page: number; perPage: number },
  signal?: AbortSignal,
): Promise<RepositoryPage> {
  const { search = '', administered = false, page, perPage } = input
  const needle = search.toLowerCase()
  const start = (page - 1) * perPage
  const end = page * perPage
  const call = { path: '/user/repos?sort=pushed', token, signal }
  const found: ListedRepository[] = []
  let searched = 0
  for await (const listed of readPages(connection, call, repository)) {
    const isMatch = listed.repo.toLowerCase().includes(needle)
    if (isMatch && (listed.admin || !administered)) found.push(listed)
    searched += 1
    if (searched === maxSearchedRepositories || found.length > end) break
  }
  return { repositories: found.slice(start, end), hasMore: found.length > end }
}

/** GET /repos/{owner}/{repo}. */
export async function getRepository(
  connection: Connection,
  access: Access,
  signal?: AbortSignal,
): Promise<ListedRepository> {
  return sendForJson(connection, buildRepositoryCall(access, '', signal), repository)
}

/**
 * GitHub maps other roles to these: `maintain` and custom roles that can push to `write`, and
 * `triage` to `read`.
 */
const collaborator = z.object({ permission: z.enum(['admin', 'write', 'read', 'none']) })

/** GET /repos/{owner}/{repo}/collaborators/{login}/permission. */
export async function getPermission(
  connection: Connection,
  access: Access,
  login: string,
  signal?: AbortSignal,
): Promise<RepositoryPermission> {
  const path = `/collaborators/${encodeURIComponent(login)}/permission`
  try {
    const call = buildRepositoryCall(access, path, signal)
    return (await sendForJson(connection, call, collaborator)).permission
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'platform_not_found') return 'none'
    throw error
  }
}
