// Scans a repository: access, default branch, fetch, code graph, memories.
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { GitError } from '../domain/errors.ts'
import { splitReviews } from '../events/split-reviews.ts'
import type { Mirror } from '../git/mirror.ts'
import { deleteKnowledge } from '../knowledge/delete-repository-knowledge.ts'
import { moveFileActivity } from '../knowledge/file-activity/move-file-activity.ts'
import { findGraph, type Graph } from '../knowledge/graph/read-graph.ts'
import {
  openGraph,
  type SyncedGraph,
  syncGraph,
  type WritableGraph,
} from '../knowledge/graph/sync-graph.ts'
import { moveMemories } from '../knowledge/memory/move-memories.ts'
import { pruneMemories } from '../knowledge/memory/prune-memories.ts'
import { deleteVectors } from '../knowledge/memory/save-vectors.ts'
import type { Access } from '../platforms/platform.ts'
import { readModelConsent, saveModelConsent } from '../work/model-consent.ts'
import {
  endScan,
  findScannedRepositoryId,
  readScan,
  type ScanOutcome,
  type ScanState,
  saveScannedRepositoryId,
} from '../work/scans.ts'
import { assertHeld } from '../work/work-items.ts'
import { chooseAccess } from './choose-access.ts'
import { openRepositoryMirror } from './gathering/fetch-change-commits.ts'
import { readSettings } from './gathering/read-settings.ts'
import { embedMemories } from './remembering/embed-memories.ts'
import { createProgress, type Progress } from './scanning/progress.ts'
import { saveProjectMemories } from './scanning/save-project-memories.ts'
import type { Scan, ScanTask } from './scanning/scan-context.ts'

/**
 * Runs one claimed scan to its end. Throws what stopped it; LeaseLostError means that another
 * worker goes on.
 */
export async function scanRepository(ctx: AppContext, task: ScanTask): Promise<void> {
  const { scan, signal } = task
  const onError = (error: unknown) =>
    ctx.log.warn({ err: error }, 'The progress of a scan could not be saved')
  const progress = createProgress(ctx.db, scan, onError)
  const access = await chooseAccess(ctx, scan.repo, signal)
  await forgetFormerRepository(ctx, task, access)
  const mirror = openRepositoryMirror(ctx, access)
  const commit = await mirror.branchHead(undefined, { signal })
  progress.lap('ask')
  if (commit === undefined) return conclude(ctx, task, progress, {})
  const hasGraph = ctx.config.graph.enabled
  const before = await readScan(ctx.db, scan.repo)
  const stored = hasGraph ? await findGraph(ctx.db, scan.repo) : null
  if (!scan.thorough && (await isUpToDate(ctx, before, stored, commit))) {
    return conclude(ctx, task, progress, { commit })
  }

  // From here on, no earlier scan can move the graph to a commit that this one doesn't fetch.
  const graph = hasGraph ? await openGraph(ctx.db, scan) : null
  progress.report('fetching', 0, 0)
  await fetchCommits(mirror, commit, graph, signal)
  progress.lap('fetch')
  await using snapshot = mirror.snapshot(commit)
  const { gitDirectory, objects } = mirror
  const repository = { runtime: ctx.gitRuntime, gitDirectory, objects }
  const settings = await readSettings(snapshot, await ctx.organizationSettings.read(access))
  const opened: Scan = { ...task, ctx, progress, repository, snapshot, settings }
  const synced = graph && (await syncScannedGraph(opened, graph))
  const described = await updateMemories(opened, synced, before)
  progress.lap('memory')
  await conclude(ctx, task, progress, { commit, described, statistics: synced?.statistics })
}

/** What is known about renamed files moves along with the graph. */
function syncScannedGraph(
  { ctx: { db, syntax }, ...scan }: Scan,
  graph: WritableGraph,
): Promise<SyncedGraph> {
  const { repo } = scan.scan
  return syncGraph({
    ...scan,
    db,
    graph,
    indexer: syntax,
    async onRenames(tx, renames) {
      await moveFileActivity(tx, repo, renames)
      await moveMemories(tx, repo, renames)
    },
  })
}

/** Returns the commit that the memories describe; undefined if they are off. */
async function updateMemories(
  scan: Scan,
  graph: SyncedGraph | null,
  before: ScanState | undefined,
): Promise<string | undefined> {
  const { ctx, snapshot, signal } = scan
  if (!ctx.config.memory) return undefined
  const { repo, thorough } = scan.scan
  const described = before?.described ?? null
  // A small change keeps the project description true, if it was true before.
  const isStillTrue = described !== null && graph?.smallChangeSince === described
  if (thorough || !isStillTrue) await saveProjectMemories(scan, graph)
  await pruneMemories(ctx.db, repo, signal)
  await updateModelConsent(scan)
  return snapshot.sha
}

/**
 * Saves the consent to the use of models from the default branch's settings. Without consent, the
 * vectors of the repository's memories are deleted.
 */
async function updateModelConsent({ ctx, scan, settings }: Scan): Promise<void> {
  const asksModels = settings.mode !== 'static'
  await saveModelConsent(ctx.db, scan, asksModels)
  if (!asksModels) await transactionWithRetry(ctx.db, (tx) => deleteVectors(tx, scan.repo))
}

/**
 * Deletes the knowledge of a former repository with this name and moves its reviews away, before
 * this one is scanned.
 */
async function forgetFormerRepository(
  ctx: AppContext,
  { scan, signal }: ScanTask,
  access: Access,
): Promise<void> {
  const { repo } = scan
  const { id: platformRepoId } = await ctx.platform.getRepository(access, signal)
  await transactionWithRetry(ctx.db, async (tx) => {
    const formerId = await findScannedRepositoryId(tx, repo)
    if (formerId === platformRepoId) return
    await assertHeld(tx, scan)
    if (formerId !== null) {
      await deleteKnowledge(tx, repo)
      await splitReviews(tx, { repo, formerId, platformRepoId })
    }
    await saveScannedRepositoryId(tx, { repo, platformRepoId }, { isNew: formerId !== null })
  })
}

/** Whether nothing was pushed since the last scan, and all enabled layers have its result. */
async function isUpToDate(
  { db, config, embedder }: AppContext,
  scan: ScanState | undefined,
  graph: Graph | null,
  commit: string,
): Promise<boolean> {
  if (scan?.commit !== commit || (config.memory && scan.described !== commit)) return false
  if (embedder !== null && (await readModelConsent(db, scan.repo)) === null) return false
  return !config.graph.enabled || graph?.commit === commit
}

/** Fetches the graph's commit too, for comparison; it may no longer exist at the host. */
async function fetchCommits(
  mirror: Mirror,
  commit: string,
  graph: Pick<WritableGraph, 'commit'> | null,
  signal: AbortSignal,
): Promise<void> {
  const former = graph?.commit ?? null
  const commits = former === null ? [commit] : [commit, former]
  try {
    await mirror.fetchCommits(commits, { signal })
  } catch (error) {
    if (!(error instanceof GitError) || commits.length === 1) throw error
    await mirror.fetchCommits([commit], { signal })
  }
}

/**
 * Embeds new memories and ends the scan. If the embedder fails, memories are found by words alone.
 */
async function conclude(
  ctx: AppContext,
  { scan, signal }: ScanTask,
  progress: Progress,
  {
    statistics,
    ...result
  }: Pick<ScanOutcome, 'commit' | 'described'> & { statistics?: object | undefined },
): Promise<void> {
  const onProgress = (done: number, total: number) =>
    progress.report('making memories searchable', done, total)
  const embedError = await embedMemories(ctx, scan.repo, { signal, onProgress })
  progress.lap('vectors')
  await progress.settled()
  const warning =
    embedError === null
      ? {}
      : {
          failure: {
            message: `Not all memories have vectors: ${embedError}`,
            code: 'embedder_failed',
          },
        }
  const outcome = { status: 'completed', ...result, ...warning } as const
  await transactionWithRetry(ctx.db, (tx) => endScan(tx, scan, outcome))
  ctx.log.info({ commit: result.commit, timings: progress.timings, statistics }, 'The scan is done')
}
