// The account behind a token, and the repositories that it sees.
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

/** The account as the API shows it. */
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

/** Most repositories that are looked through. */
const maxSearchedRepositories = 1000

/** GET /user. Asks every time: it is also how a token is checked. */
export function getViewer(
  connection: Connection,
  token: string,
  signal?: AbortSignal,
): Promise<Viewer> {
  return sendForJson(connection, { path: '/user', token, signal }, viewerSchema)
}

/** Remembers who is behind a token, for at most `bound` tokens, of which it keeps only digests. */
export function createViewerCache(connection: Connection, bound = 500) {
  const viewers = new Map<string, Viewer>()
  return async function recallViewer(token: string, signal?: AbortSignal): Promise<Viewer> {
    const key = createHash('sha256').update(token).digest('base64')
    const viewer = viewers.get(key) ?? (await getViewer(connection, token, signal))
    viewers.delete(key)
    viewers.set(key, viewer)
    if (viewers.size > bound) viewers.delete(viewers.keys().next().value!)
    return viewer
  }
}

/**
 * GET /user/repos. The platform can't search in it, nor choose by permission, so that is done here, on 1,000 of them at
 * most.
 */
export async function listRepositories(
  connection: Connection,
  token: string,
  input: { search?: string; administered?: boolean; page: number; perPage: number },
  signal?: AbortSignal,
): Promise<RepositoryPage> {
  const { search = '', administered = false, page, perPage } = input
  const needle = search.toLowerCase()
  const [start, end] = [(page - 1) * perPage, page * perPage]
  const found: ListedRepository[] = []
  let seen = 0
  for await (const listed of readPages(
    connection,
    { path: '/user/repos?sort=pushed', token, signal },
    repository,
  )) {
    if (listed.repo.toLowerCase().includes(needle) && (listed.admin || !administered))
      found.push(listed)
    seen += 1
    if (seen === maxSearchedRepositories || found.length > end) break
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
 * GitHub names the closest of its classic roles: `maintain` and custom roles that may push are
 * `write`, `triage` is `read`.
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
    return (await sendForJson(connection, buildRepositoryCall(access, path, signal), collaborator))
      .permission
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'platform_not_found') return 'none'
    throw error
  }
}
