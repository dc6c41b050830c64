// Reads the diff of a review again, with the access of the caller.
import { listTokenHolders } from '../../accounts/installations.ts'
import { findConnectedRepository, findScope } from '../../accounts/scope.ts'
import type { Caller } from '../../accounts/tokens.ts'
import type { AppContext, ServiceContext } from '../../context.ts'
import { GitError, PlatformError, RequestError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { readReview } from '../../events/read-review.ts'
import { parseDiff } from '../../git/parse-diff.ts'
import type { Access } from '../../platforms/platform.ts'
import { lostTokenError, requirePlatformToken } from '../connecting/require-platform-token.ts'
import { openRepositoryMirror } from '../gathering/fetch-change-commits.ts'
import { limitDiff, type ShownDiff } from './limit-diff.ts'

/** The limit is far above what is shown, because the files with findings may be the last ones. */
const maxBytes = 16 * 1024 * 1024

interface ReviewedDiff extends ShownDiff {
  readonly baseSha: string
  readonly headSha: string
}

interface ReviewedHead {
  readonly number: number
  readonly sha: string
}

/**
 * Nothing is cached, so that the platform checks the caller's access each time.
 *
 * @param id of an event of the pull request
 * @returns undefined if there is no such event that the caller may see
 * @throws RequestError if the diff can't be read
 */
export async function showDiff(
  { db, hosts }: Pick<ServiceContext, 'db' | 'hosts'>,
  caller: Caller,
  id: number,
  signal: AbortSignal,
): Promise<ReviewedDiff | undefined> {
  const review = await readReview(db, await findScope(db, caller), id)
  if (review === undefined) return undefined
  if (review.headSha === null) throw new RequestError('conflict', 'No commit was reviewed here yet')
  const ctx = hosts.of(review.repoName)
  const access = await findAccess(ctx, caller, review.repoName)
  const head = { number: review.prNumber, sha: review.headSha }
  try {
    const { baseSha, raw } = await readDiff(ctx, access, head, signal)
    const paths = new Set(review.findings.map(({ path }) => path))
    return { baseSha, headSha: head.sha, ...limitDiff(parseDiff(raw, { maxBytes }), paths) }
  } catch (error) {
    throw toRequestError(error)
  }
}

/**
 * Returns the caller's own access if they connected the repository, or the deployment-wide token
 * for administrators if it was never connected.
 */
async function findAccess(ctx: AppContext, caller: Caller, repo: RepositoryName): Promise<Access> {
  const connected = await findConnectedRepository(ctx.db, caller, repo)
  if (connected !== undefined)
    return { repo: connected, token: await requirePlatformToken(ctx, caller.userId) }
  const { token } = ctx.config.fallback
  const mayUseFallback =
    caller.isAdmin && token !== null && (await listTokenHolders(ctx.db, repo)).length === 0
  if (!mayUseFallback)
    throw new RequestError('access_denied', 'Repo not connected or access denied')
  return { repo, token }
}

/** The platform's API comes first, because it checks the caller's access; the mirror doesn't. */
async function readDiff(ctx: AppContext, access: Access, head: ReviewedHead, signal: AbortSignal) {
  const pullRequest = await ctx.platform.getPullRequest(access, head.number, signal)
  const baseSha = await ctx.platform.getMergeBase(access, pullRequest.base.sha, head.sha, signal)
  try {
    const mirror = openRepositoryMirror(ctx, access)
    await mirror.fetchCommits([head.sha, baseSha], { signal })
    return { baseSha, raw: await mirror.diff(baseSha, head.sha, { signal, maxBytes }) }
  } catch (error) {
    // The platform's own diff is that of the newest commit.
    if (!(error instanceof GitError) || pullRequest.head.sha !== head.sha) throw error
    return { baseSha, raw: await ctx.platform.getDiff(access, head.number, signal) }
  }
}

function toRequestError(error: unknown): unknown {
  if (!(error instanceof PlatformError || error instanceof GitError)) return error
  if (error.retryable) {
    const options = {
      cause: error,
      ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    }
    return new RequestError(
      'platform_failed',
      `The diff could not be read: ${error.message}`,
      options,
    )
  }
  if (error.code === 'platform_unauthorized') return lostTokenError(error)
  if (error.code === 'platform_too_large') {
    return new RequestError('conflict', 'The code host does not show a diff of this size', {
      cause: error,
    })
  }
  return new RequestError('not_found', 'The code host does not show the reviewed commit any more', {
    cause: error,
  })
}
