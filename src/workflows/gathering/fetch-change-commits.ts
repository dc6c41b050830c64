// Fetches the commits of a pull request with git, or else through the platform's API.
import { join } from 'node:path'
import type { AppContext } from '../../context.ts'
import { GitError } from '../../domain/errors.ts'
import type { PullRequest } from '../../domain/pull-request.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { type Mirror, openMirror } from '../../git/mirror.ts'
import type { Access } from '../../platforms/platform.ts'
import { createPlatformSnapshot } from './platform-snapshot.ts'

/** The commits of a change as snapshots, and the raw diff. */
interface ChangeCommits extends AsyncDisposable {
  readonly head: Snapshot
  readonly base: Snapshot
  /** The tip of the base branch; it is `base` itself if nothing was merged since. */
  readonly tip: Snapshot
  /** It leads from `base` to `head`. */
  readonly rawDiff: Uint8Array | string
  /** Each note is one sentence about a limit of these snapshots. */
  readonly notes: readonly string[]
}

export function mirrorDirectory(config: { dataDir: string }): string {
  return join(config.dataDir, 'mirrors')
}

type CommitsContext = Pick<AppContext, 'platform' | 'config' | 'log' | 'gitRuntime'>

/**
 * Fetches the head that `pullRequest` names, so the diff can't be of another one, however large it
 * is. If git fails, the snapshots and the diff come from the platform's API.
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
    ctx.log.warn(
      { err: error },
      'The repository could not be fetched with git; the API is used instead',
    )
    const snapshot = (sha: string) => createPlatformSnapshot(ctx.platform, access, sha, signal)
    return openSnapshots(shas, snapshot, {
      rawDiff: await ctx.platform.getDiff(access, pullRequest.number, signal),
      notes: ['The repository could not be fetched with git, so it was not searched.'],
    })
  }
}

interface Shas {
  readonly head: string
  readonly base: string
  readonly tip: string
}

/** Opens the mirror of a repository. Throws `GitError` for an address that isn't allowed. */
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
  others: Pick<ChangeCommits, 'rawDiff' | 'notes'>,
): ChangeCommits {
  const stack = new AsyncDisposableStack()
  const base = stack.use(open(shas.base))
  return {
    head: stack.use(open(shas.head)),
    base,
    tip: shas.tip === shas.base ? base : stack.use(open(shas.tip)),
    ...others,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
