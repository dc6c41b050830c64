// How pull requests stand at the platform now, as far as it says so in the time that there is.
import { findInstallationIds } from '../../accounts/installations.ts'
import { readPlatformToken } from '../../accounts/users.ts'
import type { AppContext } from '../../context.ts'
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
import { createSemaphore } from '../../lib/semaphore.ts'

type StateContext = Pick<AppContext, 'db' | 'config' | 'keys' | 'platform' | 'log'>

/** For one answer; the platform's connection has room for others beside it. */
const maxConcurrentRequests = 16

/** Names a pull request in a map. */
export const pullRequestKey = ({ repo, number }: PullRequestRef): string => `${repo}#${number}`

/**
 * Asks for those that nobody asked for just now, with the caller's own token where they connected the repository, else the
 * deployment-wide one, and writes down what is new. Whatever the platform does, it ends when the signal fires at the latest.
 *
 * @returns the states that are newer than the stored ones, by `keyOf`
 */
export async function refreshStates(
  ctx: StateContext,
  input: { userId: number; pullRequests: readonly PullRequestRef[] },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, PullRequestState>> {
  const tokenFor = await findTokens(ctx, input)
  // Who can't ask leaves it to those who can.
  const askable = input.pullRequests.filter(({ repo }) => tokenFor(repo) !== null)
  if (askable.length === 0 || signal.aborted) return new Map()
  const checks = await claimStateChecks(ctx.db, askable)
  if (checks.length === 0) return new Map()
  const seen = await fetchStates(ctx, tokenFor, checks, signal)
  await savePullRequestStates(ctx.db, seen)
  await confirmPullRequests(ctx.db, seen)
  return new Map(seen.map((pullRequest) => [pullRequestKey(pullRequest), pullRequest.state]))
}

/** With which token to ask for the pull requests of a repository; null where there is none. */
type TokenFor = (repo: RepositoryName) => string | null

async function findTokens(
  ctx: StateContext,
  { userId, pullRequests }: { userId: number; pullRequests: readonly PullRequestRef[] },
): Promise<TokenFor> {
  const repos = [...new Set(pullRequests.map(({ repo }) => repo))]
  const [own, connections] = await Promise.all([
    readPlatformToken(ctx.db, ctx.keys, userId),
    findInstallationIds(ctx.db, userId, repos),
  ])
  const common = ctx.config.fallback.token
  return (repo) => (own !== undefined && connections.has(repo.toLowerCase()) ? own : common)
}

/**
 * What the platform said until the signal fired, or until it said that it was asked too much: reviews need the same token.
 * What is older than what is known is left out.
 */
async function fetchStates(
  ctx: StateContext,
  tokenFor: TokenFor,
  checks: readonly StateCheck[],
  signal: AbortSignal,
): Promise<readonly PullRequest[]> {
  const slots = createSemaphore(maxConcurrentRequests)
  const seen: PullRequest[] = []
  let isLimited = false
  const ask = async ({ repo, number, stateAsOf }: StateCheck) => {
    const release = await slots.acquire()
    try {
      if (isLimited || signal.aborted) return
      const access = { repo, token: tokenFor(repo) as string }
      const pullRequest = await ctx.platform.getPullRequest(access, number, signal)
      const isNews = stateAsOf === null || Date.parse(pullRequest.updatedAt) >= stateAsOf.getTime()
      if (isNews) seen.push({ ...pullRequest, repo, number })
    } catch (error) {
      isLimited ||= error instanceof PlatformError && error.code === 'platform_rate_limited'
      ctx.log.debug(
        { err: error, repo, pull_request: number },
        'The state of a pull request is not known now',
      )
    } finally {
      release()
    }
  }
  const isOver = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => isOver.resolve(), { once: true })
  await Promise.race([Promise.all(checks.map(ask)), isOver.promise])
  return [...seen]
}
