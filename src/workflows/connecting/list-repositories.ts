// Lists the repositories that a caller may connect, or has connected.
import { findInstallationIds, listConnectedInstallations } from '../../accounts/installations.ts'
import type { Caller } from '../../accounts/tokens.ts'
import type { AppContext } from '../../context.ts'
import { PlatformError, RequestError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { startDeadline } from '../../platforms/deadline.ts'
import type { RepositoryPage } from '../../platforms/platform.ts'
import { requirePlatformToken } from './require-platform-token.ts'

/** Which page of the list. */
export interface RepositoryQuery {
  /** A part of the name, in any case. */
  readonly search: string
  /** From 1. */
  readonly page: number
  readonly perPage: number
}

/** A repository in the list. What only the platform knows is null in the list of those that are connected. */
export interface RepositoryEntry {
  readonly repo: RepositoryName
  /** Null where it isn't connected to the caller's account. */
  readonly installationId: number | null
  readonly private: boolean | null
  readonly description: string | null
  readonly defaultBranch: string | null
}

/** A page of a list of repositories. */
export interface RepositoryEntries {
  readonly repositories: readonly RepositoryEntry[]
  readonly hasMore: boolean
}

const listMs = 20_000

/** The repositories that the caller administers at the platform, the last pushed first; of the first 1,000. */
export async function listConnectableRepositories(
  ctx: Pick<AppContext, 'db' | 'keys' | 'platform'>,
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
      startDeadline(listMs),
    )
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    throw new RequestError(
      'platform_failed',
      `The repositories could not be listed: ${error.message}`,
      {
        cause: error,
      },
    )
  }
}

/** The repositories that are connected to the caller's account, by name. The platform isn't asked. */
export async function listConnectedRepositories(
  ctx: Pick<AppContext, 'db'>,
  caller: Pick<Caller, 'userId'>,
  query: RepositoryQuery,
): Promise<RepositoryEntries> {
  const { installations, hasMore } = await listConnectedInstallations(ctx.db, caller.userId, query)
  const unknown = { private: null, description: null, defaultBranch: null }
  return {
    repositories: installations.map(({ id, repo }) => ({ repo, installationId: id, ...unknown })),
    hasMore,
  }
}
