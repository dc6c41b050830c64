// Refreshes the states of pull requests from the platform, within the time of a request.
import { findInstallationIds } from '../../accounts/installations.ts'
import type { AppContext, RequestHosts } from '../../context.ts'
import { PlatformError } from '../../domain/errors.ts'
import type {
  PullRequest,
  PullRequestRef,
  PullRequestState,
  RepositoryName,
} from '../../domain/pull-request.ts'
import {
  claimStateChecks,
  confirmPullRequests,
  type StateCheck,
  savePullRequestStates,
} from '../../events/pull-request-states.ts'
import { createLimiter } from '../../lib/semaphore.ts'

type HostContext = Pick<AppContext, 'db' | 'config' | 'userTokens' | 'platform' | 'log'>

/** Limits the requests for one answer, so that others share the connection to the platform. */
const maxConcurrentRequests = 16

/** Returns the key of a pull request in a map. */
export const pullRequestKey = ({ repo, number }: PullRequestRef): string => `${repo}#${number}`

/**
 * Fetches states that weren't checked just now, with the caller's own token for repositories they
 * connected, or else the deployment-wide token, and saves newer ones. It ends when the signal is
 * aborted at the latest.
 *
 * @returns the states that are newer than the stored ones, by `pullRequestKey`
 */
export async function refreshStates(
  { hosts }: { readonly hosts: RequestHosts },
  { userId, pullRequests }: { userId: number; pullRequests: readonly PullRequestRef[] },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, PullRequestState>> {
  const byHost = Map.groupBy(pullRequests, ({ repo }) => hosts.of(repo))
  const states = await Promise.all(
    [...byHost].map(([host, own]) => refreshAtHost(host, { userId, pullRequests: own }, signal)),
  )
  return new Map(states.flatMap((found) => [...found]))
}

async function refreshAtHost(
  ctx: HostContext,
  input: { userId: number; pullRequests: readonly PullRequestRef[] },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, PullRequestState>> {
  const tokenFor = await findTokens(ctx, input)
  // Without a token the check is left to other callers.
  const checkable = input.pullRequests.filter(({ repo }) => tokenFor(repo) !== null)
  if (checkable.length === 0 || signal.aborted) return new Map()
  const checks = await claimStateChecks(ctx.db, checkable)
  if (checks.length === 0) return new Map()
  const fetched = await fetchStates(ctx, tokenFor, checks, signal)
  await savePullRequestStates(ctx.db, fetched)
  await confirmPullRequests(ctx.db, fetched)
  return new Map(fetched.map((pullRequest) => [pullRequestKey(pullRequest), pullRequest.state]))
}

/** Returns the token to use for a repository; null if there is none. */
type TokenFor = (repo: RepositoryName) => string | null

async function findTokens(
  ctx: HostContext,
  { userId, pullRequests }: { userId: number; pullRequests: readonly PullRequestRef[] },
): Promise<TokenFor> {
  const repos = [...new Set(pullRequests.map(({ repo }) => repo))]
  const [own, connections] = await Promise.all([
    ctx.userTokens.read(userId),
    findInstallationIds(ctx.db, userId, repos),
  ])
  const fallback = ctx.config.fallback.token
  return (repo) => (own !== undefined && connections.has(repo.toLowerCase()) ? own : fallback)
}

/**
 * Fetches until the signal is aborted or the platform limits the rate, because reviews need the
 * same token. Responses older than the stored state are left out.
 */
async function fetchStates(
  ctx: HostContext,
  tokenFor: TokenFor,
  checks: readonly StateCheck[],
  signal: AbortSignal,
): Promise<readonly PullRequest[]> {
  const limit = createLimiter(maxConcurrentRequests)
  const fetched: PullRequest[] = []
  let isLimited = false
  const fetchState = async ({ repo, number, stateAsOf }: StateCheck) => {
    try {
      if (isLimited || signal.aborted) return
      const access = { repo, token: tokenFor(repo) as string }
      const pullRequest = await ctx.platform.getPullRequest(access, number, signal)
      const isNewer = stateAsOf === null || Date.parse(pullRequest.updatedAt) >= stateAsOf.getTime()
      if (isNewer) fetched.push({ ...pullRequest, repo, number })
    } catch (error) {
      isLimited ||= error instanceof PlatformError && error.code === 'platform_rate_limited'
      ctx.log.debug(
        { err: error, repo, pull_request: number },
        'The state of a pull request could not be fetched',
      )
    }
  }
  const aborted = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => aborted.resolve(), { once: true })
  const fetching = Promise.all(checks.map((check) => limit(() => fetchState(check))))
  await Promise.race([fetching, aborted.promise])
  return [...fetched]
}
