// Lists the repositories that a caller can connect or has connected.
import { findInstallationIds, listConnectedInstallations } from '../../accounts/installations.ts'
import type { Caller } from '../../accounts/tokens.ts'
import type { AppContext } from '../../context.ts'
import { PlatformError, RequestError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { startDeadline } from '../../platforms/deadline.ts'
import type { RepositoryPage } from '../../platforms/platform.ts'
import { lostTokenError, requirePlatformToken } from './require-platform-token.ts'

interface RepositoryQuery {
  /** It matches any part of the name, in any case. */
  readonly search: string
  /** The first page is 1. */
  readonly page: number
  readonly perPage: number
}

/** An entry of the list; what only the platform has is null for connected repositories. */
interface RepositoryEntry {
  readonly repo: RepositoryName
  /** It is null if the caller hasn't connected the repository. */
  readonly installationId: number | null
  readonly private: boolean | null
  readonly description: string | null
  readonly defaultBranch: string | null
  /** Whether it has a webhook of its own; null if that is unknown. */
  readonly hasWebhook: boolean | null
}

interface RepositoryEntries {
  readonly repositories: readonly RepositoryEntry[]
  readonly hasMore: boolean
}

const listTimeoutMs = 20_000

/** Lists what the caller administers, the last pushed first, from the first 1,000 repositories. */
export async function listConnectableRepositories(
  ctx: Pick<AppContext, 'db' | 'userTokens' | 'platform'>,
  caller: Pick<Caller, 'userId'>,
  query: RepositoryQuery,
): Promise<RepositoryEntries> {
  const token = await requirePlatformToken(ctx, caller.userId)
  const { repositories, hasMore } = await fetchRepositories(ctx, token, query)
  const names = repositories.map(({ repo }) => repo)
  const connections = await findInstallationIds(ctx.db, caller.userId, names)
  const entries = repositories.map((listed) => ({
    repo: listed.repo,
    installationId: connections.get(listed.repo.toLowerCase()) ?? null,
    private: listed.private,
    description: listed.description,
    defaultBranch: listed.defaultBranch,
    hasWebhook: null,
  }))
  return { repositories: entries, hasMore }
}

async function fetchRepositories(
  ctx: Pick<AppContext, 'platform'>,
  token: string,
  query: RepositoryQuery,
): Promise<RepositoryPage> {
  try {
    return await ctx.platform.listRepositories(
      token,
      { ...query, administered: true },
      startDeadline(listTimeoutMs),
    )
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    if (error.code === 'platform_unauthorized') throw lostTokenError(error)
    throw new RequestError(
      'platform_failed',
      `The repositories could not be listed: ${error.message}`,
      {
        cause: error,
      },
    )
  }
}

/** Lists the repositories of the caller's connections by name, without calling the platform. */
export async function listConnectedRepositories(
  ctx: Pick<AppContext, 'db'>,
  caller: Pick<Caller, 'userId'>,
  query: RepositoryQuery,
): Promise<RepositoryEntries> {
  const { installations, hasMore } = await listConnectedInstallations(ctx.db, caller.userId, query)
  const unknown = { private: null, description: null, defaultBranch: null }
  return {
    repositories: installations.map(({ id, ...one }) => ({
      ...one,
      installationId: id,
      ...unknown,
    })),
    hasMore,
  }
}
