// Gathers what is to be reviewed: the commits, their diff, which of its files people wrote, and what is known about it.
import type { AppContext } from '../context.ts'
import type { PullRequest } from '../domain/pull-request.ts'
import { parseDiff } from '../git/parse-diff.ts'
import type { Access } from '../platforms/platform.ts'
import { type Change, type EarlierReviews, noOutsideContext } from '../reviewers/reviewer.ts'
import { fetchChangeCommits } from './gathering/fetch-change-commits.ts'
import { gatherBackground, noBackground } from './gathering/gather-background.ts'
import { checkChangedSettings, loadSettings } from './gathering/read-settings.ts'
import { triageFiles } from './gathering/triage-files.ts'

/** A change of a pull request. Dispose of it: it holds git processes. */
export type GatheredChange = Change &
  AsyncDisposable & {
    /** See `RepositoryWill`. */
    readonly settingsDigest: string
  }

type GatherContext = Pick<AppContext, 'platform' | 'config' | 'log' | 'models' | 'gitRuntime'>

/** Gathers a change at the head that `pullRequestSchema` shows. */
export async function gatherChange(
  ctx: GatherContext,
  access: Access,
  { pullRequest, earlier }: { pullRequest: PullRequest; earlier: EarlierReviews },
  signal: AbortSignal,
): Promise<GatheredChange> {
  const headSha = pullRequest.head.sha
  const [sources, background] = await Promise.all([
    fetchChangeCommits(ctx, access, pullRequest, signal),
    // Rules have no use for it.
    ctx.models.main === null ? noBackground : gatherBackground(ctx, access, pullRequest, signal),
  ])
  await using stack = new AsyncDisposableStack()
  // Not with the raw diff in it: that would be held as long as the change.
  const { rawDiff, ...held } = sources
  stack.use(held)
  signal.throwIfAborted()
  const { head, base, tip, notes: ofSources } = held
  const will = await loadSettings(tip)
  const diff = parseDiff(rawDiff)
  const { notes, ...sorted } = await triageFiles(diff.files, { head, base }, will)
  const changedSettings = await checkChangedSettings(diff.files, head)
  const parts = stack.move()
  return {
    pullRequest,
    headSha,
    mergeBaseSha: base.sha,
    diff,
    ...sorted,
    notes: [...will.notes, ...changedSettings, ...ofSources, ...notes],
    head,
    base,
    settings: will.settings,
    settingsDigest: will.digest,
    ...background,
    earlier,
    graph: null,
    ...noOutsideContext,
    history: (path, limit, within) =>
      ctx.platform.listFileCommits(access, { path, ref: headSha, limit }, within),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}
