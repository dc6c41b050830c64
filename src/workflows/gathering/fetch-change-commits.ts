// Brings the commits of a pull request here: with git, or where that fails through the platform's API.
import { join } from 'node:path'
import type { AppContext } from '../../context.ts'
import { GitError } from '../../domain/errors.ts'
import type { PullRequest } from '../../domain/pull-request.ts'
import { type Mirror, openMirror } from '../../git/mirror.ts'
import type { Snapshot } from '../../git/snapshot.ts'
import type { Access } from '../../platforms/platform.ts'
import { createPlatformSnapshot } from './platform-snapshot.ts'

/** The commits at hand, and the raw diff. */
export interface ChangeCommits extends AsyncDisposable {
  readonly head: Snapshot
  /** Where head and base parted. */
  readonly base: Snapshot
  /** Of the base branch; `base` itself where nothing was merged since. */
  readonly tip: Snapshot
  /** From `base` to `head`. */
  readonly rawDiff: Uint8Array | string
  /** Limits of what can be done with them, one sentence each. */
  readonly notes: readonly string[]
}

/** Where the git mirrors are. */
export function mirrorDirectory(config: { dataDir: string }): string {
  return join(config.dataDir, 'mirrors')
}

type CommitsContext = Pick<AppContext, 'platform' | 'config' | 'log' | 'gitRuntime'>

/**
 * The diff is git's own between the merge base and the head that `pullRequestSchema` shows, so it can't be of another one,
 * however large it is; where the repository can't be fetched, the platform's API stands in.
 */
export async function fetchChangeCommits(
  ctx: CommitsContext,
  access: Access,
  pullRequest: PullRequest,
  signal: AbortSignal,
): Promise<ChangeCommits> {
  const mergeBaseSha = await ctx.platform.getMergeBase(
    access,
    pullRequest.base.sha,
    pullRequest.head.sha,
    signal,
  )
  const shas = { head: pullRequest.head.sha, base: mergeBaseSha, tip: pullRequest.base.sha }
  try {
    return await fetchWithGit(ctx, access, shas, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof GitError)) throw error
    ctx.log.warn({ err: error }, 'The repository could not be fetched with git; the API stands in')
    const snapshot = (sha: string) => createPlatformSnapshot(ctx.platform, access, sha, signal)
    return openSnapshots(shas, snapshot, {
      rawDiff: await ctx.platform.getDiff(access, pullRequest.number, signal),
      notes: ['The repository could not be fetched with git, so nothing was searched for in it.'],
    })
  }
}

interface Shas {
  readonly head: string
  readonly base: string
  readonly tip: string
}

/** The mirror of a repository of the platform. Throws `GitError` for an address that isn't allowed. */
export function openRepositoryMirror(
  ctx: Pick<AppContext, 'platform' | 'config' | 'gitRuntime'>,
  access: Access,
): Mirror {
  return openMirror({
    directory: mirrorDirectory(ctx.config),
    address: ctx.platform.cloneRemote(access),
    trustedHosts: [new URL(ctx.config.platform.url).host],
    runtime: ctx.gitRuntime,
  })
}

async function fetchWithGit(
  ctx: CommitsContext,
  access: Access,
  shas: Shas,
  signal: AbortSignal,
): Promise<ChangeCommits> {
  const mirror = openRepositoryMirror(ctx, access)
  await mirror.fetchCommits([shas.head, shas.base, shas.tip], { signal })
  const rawDiff = await mirror.diff(shas.base, shas.head, { signal })
  return openSnapshots(shas, (sha) => mirror.snapshot(sha), { rawDiff, notes: [] })
}

function openSnapshots(
  shas: Shas,
  open: (sha: string) => Snapshot,
  rest: Pick<ChangeCommits, 'rawDiff' | 'notes'>,
): ChangeCommits {
  const stack = new AsyncDisposableStack()
  const base = stack.use(open(shas.base))
  return {
    head: stack.use(open(shas.head)),
    base,
    tip: shas.tip === shas.base ? base : stack.use(open(shas.tip)),
    ...rest,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
