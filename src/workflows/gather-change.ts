// Gathers a pull request's change: commits, diff, files by who reads them, and background.
import type { AppContext } from '../context.ts'
import { type Change, type EarlierReviews, noOutsideContext } from '../domain/change.ts'
import type { PullRequest } from '../domain/pull-request.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { parseDiff } from '../git/parse-diff.ts'
import type { Access } from '../platforms/platform.ts'
import { fetchChangeCommits } from './gathering/fetch-change-commits.ts'
import { gatherBackground, noBackground } from './gathering/gather-background.ts'
import { checkChangedSettings, loadSettings } from './gathering/read-settings.ts'
import { triageFiles } from './gathering/triage-files.ts'

/** A change of a pull request. Dispose of it, because it holds git processes. */
export type GatheredChange = Change &
  AsyncDisposable & {
    /** See `LoadedSettings`. */
    readonly settingsDigest: string
    /** The tip of the base branch. */
    readonly tip: Snapshot
  }

type GatherContext = Pick<
  AppContext,
  'platform' | 'config' | 'log' | 'models' | 'gitRuntime' | 'organizationSettings'
>

interface ChangeRequest {
  readonly pullRequest: PullRequest
  readonly earlier: EarlierReviews
  /** Whether commits and issues are loaded, which only models that review use. */
  readonly withBackground?: boolean
}

/** Gathers the change at the head of `pullRequest`. */
export async function gatherChange(
  ctx: GatherContext,
  access: Access,
  { pullRequest, earlier, withBackground = ctx.models.main !== null }: ChangeRequest,
  signal: AbortSignal,
): Promise<GatheredChange> {
  const headSha = pullRequest.head.sha
  const organization = await ctx.organizationSettings.read(access)
  const [sources, background] = await Promise.all([
    fetchChangeCommits(ctx, access, pullRequest, signal),
    withBackground ? gatherBackground(ctx, access, pullRequest, signal) : noBackground,
  ])
  await using stack = new AsyncDisposableStack()
  // The raw diff is left out, or it would stay in memory as long as the change.
  const { rawDiff, ...commits } = sources
  stack.use(commits)
  signal.throwIfAborted()
  const { head, base, tip, notes: fetchNotes } = commits
  const diff = parseDiff(rawDiff)
  const { draft } = pullRequest
  const loaded = await loadSettings(tip, { organization, draft, changed: diff.files })
  const { notes, ...triaged } = await triageFiles(diff.files, { head, base }, loaded)
  const changedSettings = await checkChangedSettings(diff.files, head)
  const parts = stack.move()
  return {
    pullRequest,
    headSha,
    mergeBaseSha: base.sha,
    diff,
    ...triaged,
    notes: [...loaded.notes, ...changedSettings, ...fetchNotes, ...notes],
    head,
    base,
    tip,
    settings: loaded.settings,
    settingsDigest: loaded.digest,
    ...background,
    earlier,
    graph: null,
    ...noOutsideContext,
    history: (path, limit, within) =>
      ctx.platform.listFileCommits(access, { path, ref: headSha, limit }, within),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}
