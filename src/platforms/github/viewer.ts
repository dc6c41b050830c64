// Reads the account of a token, the repositories that it can see, and permissions in them.
import { z } from 'zod'
import type { Connection, HostCall } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { findOr, sendForJson } from '../http/request.ts'
import type { Access, ListedRepository, Viewer } from '../platform.ts'

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
export const getViewer: HostCall<'getViewer'> = (connection, token, signal) =>
  sendForJson(connection, { path: '/user', token, signal }, viewerSchema)

/** GET /users/{slug}[bot] for an installation token, which GET /user refuses. */
export function readViewer(
  connection: Connection,
  { token, appSlug }: Access,
  signal?: AbortSignal,
): Promise<Viewer> {
  if (appSlug === undefined) return getViewer(connection, token, signal)
  const path = `/users/${encodeURIComponent(`${appSlug}[bot]`)}`
  return sendForJson(connection, { path, token, signal }, viewerSchema)
}

/**
 * GET /user/repos. The API can't filter by name or permission, so that happens here, on the first
 * 1,000 repositories.
 */
export const listRepositories: HostCall<'listRepositories'> = async (
  connection,
  token,
  input,
  signal,
) => {
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
export const getRepository: HostCall<'getRepository'> = async (connection, access, signal) =>
  sendForJson(connection, buildRepositoryCall(access, '', signal), repository)

/**
 * GitHub maps other roles to these: `maintain` and custom roles that can push to `write`, and
 * `triage` to `read`.
 */
const collaborator = z.object({ permission: z.enum(['admin', 'write', 'read', 'none']) })

/** GET /repos/{owner}/{repo}/collaborators/{login}/permission. */
export const getPermission: HostCall<'getPermission'> = async (
  connection,
  access,
  login,
  signal,
) => {
  const path = `/collaborators/${encodeURIComponent(login)}/permission`
  const found = await findOr(null, () =>
    sendForJson(connection, buildRepositoryCall(access, path, signal), collaborator),
  )
  return found?.permission ?? 'none'
}

/** GET /repos/{owner}/{repo}. A repository with `internal` visibility has `private: true`. */
export const isPublic: HostCall<'isPublic'> = async (connection, access, signal) => {
  const fields = await sendForJson(
    connection,
    buildRepositoryCall(access, '', signal),
    z.object({ private: z.boolean() }),
  )
  return !fields.private
}
