// Scans a repository: access, default branch, fetch, code graph, memory.
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { GitError } from '../domain/errors.ts'
import { splitReviews } from '../events/split-reviews.ts'
import type { Mirror } from '../git/mirror.ts'
import { readModelConsent } from '../jobs/model-consent.ts'
import {
  assertScanLease,
  endScan,
  findScannedRepositoryId,
  readScan,
  type ScanState,
  saveScannedRepositoryId,
} from '../jobs/scans.ts'
import { deleteKnowledge } from '../knowledge/delete-repository-knowledge.ts'
import { deleteUnusedGraphs } from '../knowledge/graph/delete-unused-graphs.ts'
import { findGraph } from '../knowledge/graph/read-graph.ts'
import { openGraph, type WritableGraph } from '../knowledge/graph/write-graph.ts'
import { pruneMemories } from '../knowledge/memory/prune-memories.ts'
import type { Access } from '../platforms/platform.ts'
import { chooseAccess } from './choose-access.ts'
import { openRepositoryMirror } from './gathering/fetch-change-commits.ts'
import { embedMemories } from './remembering/embed-memories.ts'
import { buildGraph } from './scanning/build-graph.ts'
import { createProgress, type Progress } from './scanning/progress.ts'
import { saveProjectMemories } from './scanning/save-project-memories.ts'
import type { Scan, ScanTask } from './scanning/scan-context.ts'
import { updateGraph } from './scanning/update-graph.ts'
import { updateModelConsent } from './scanning/update-model-consent.ts'

/**
 * Runs one claimed scan to its end. Throws what stopped it; LeaseLostError means that another
 * worker goes on.
 */
export async function scanRepository(ctx: AppContext, task: ScanTask): Promise<void> {
  const { scan, signal } = task
  const onError = (error: unknown) =>
    ctx.log.warn({ err: error }, 'The progress of a scan could not be saved')
  const progress = createProgress(ctx.db, scan, onError)
  const mirror = await openMirrorFor(ctx, task)
  const commit = await mirror.branchHead(undefined, { signal })
  progress.lap('ask')
  if (commit === undefined) return conclude(ctx, task, progress, { statistics: {} })
  const stored = await readScan(ctx.db, scan.repo)
  if (!scan.thorough && (await isUpToDate(ctx, stored, commit))) {
    return conclude(ctx, task, progress, { commit })
  }

  const graph = ctx.config.graph.enabled ? await openGraph(ctx.db, scan.repo, scan.fence) : null
  progress.report('fetching', 0, 0)
  await fetchCommits(mirror, commit, graph, signal)
  progress.lap('fetch')
  await using snapshot = mirror.snapshot(commit)
  const repository = { runtime: ctx.gitRuntime, gitDirectory: mirror.gitDirectory }
  const { objects } = mirror
  const opened: Scan = { ...task, ctx, progress, repository, objects, commit, snapshot }
  await updateKnowledge(opened, graph, stored?.described ?? null)
  const statistics = (await findGraph(ctx.db, scan.repo))?.statistics ?? {}
  const described = ctx.config.memory ? commit : undefined
  await conclude(ctx, task, progress, { commit, described, statistics })
}

/** @param describedCommit the commit that the project description in the memory is true of */
async function updateKnowledge(
  scan: Scan,
  graph: WritableGraph | null,
  describedCommit: string | null,
): Promise<void> {
  const { ctx, progress, signal } = scan
  const { repo, thorough } = scan.scan
  const refreshed = graph && (await refreshGraph(scan, graph))
  if (ctx.config.memory) {
    // A small change keeps the project description true, if it was true before.
    const commitBefore = graph?.commit ?? null
    const wasDescribed = commitBefore !== null && describedCommit === commitBefore
    const isDescribed = wasDescribed && !thorough && refreshed?.isSmall === true
    if (!isDescribed) await saveProjectMemories(scan, refreshed?.graph ?? null)
    await pruneMemories(ctx.db, repo, signal)
    await updateModelConsent(scan)
  }
  progress.lap('memory')
}

/** Opens the repository's mirror with a token that can read it. */
async function openMirrorFor(ctx: AppContext, task: ScanTask): Promise<Mirror> {
  const access = await chooseAccess(ctx, task.scan.repo, task.signal)
  await forgetFormerRepository(ctx, task, access)
  return openRepositoryMirror(ctx, access)
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
    await assertScanLease(tx, scan)
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
  commit: string,
): Promise<boolean> {
  if (scan?.commit !== commit || (config.memory && scan.described !== commit)) return false
  if (embedder !== null && (await readModelConsent(db, scan.repo)) === null) return false
  return !config.graph.enabled || (await findGraph(db, scan.repo))?.commit === commit
}

/** Fetches the graph's commit too, for comparison; it may no longer exist at the host. */
async function fetchCommits(
  mirror: Mirror,
  commit: string,
  graph: WritableGraph | null,
  signal: AbortSignal,
): Promise<void> {
  const commits = graph === null || graph.commit === null ? [commit] : [commit, graph.commit]
  try {
    await mirror.fetchCommits(commits, { signal })
  } catch (error) {
    if (!(error instanceof GitError) || commits.length === 1) throw error
    await mirror.fetchCommits([commit], { signal })
  }
}

/** Updates or rebuilds the graph. `isSmall`: the project description can't have changed. */
async function refreshGraph(
  scan: Scan,
  graph: WritableGraph,
): Promise<{ graph: WritableGraph; isSmall: boolean }> {
  const changedFiles = graph.commit === scan.commit ? null : await updateGraph(scan, graph)
  const updated = changedFiles === null ? await buildGraph(scan, graph) : graph
  await deleteUnusedGraphs(scan.ctx.db, scan.signal)
  scan.progress.lap('sweep')
  // Only changes of indexed code are small: a changed manifest or document can change the
  // description.
  return {
    graph: updated,
    isSmall: changedFiles?.every(({ encodedIndex }) => encodedIndex !== null) ?? false,
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
    commit,
    described,
    statistics,
  }: { commit?: string; described?: string | undefined; statistics?: object },
): Promise<void> {
  const onProgress = (done: number, total: number) =>
    progress.report('making memories searchable', done, total)
  const embedError = await embedMemories(ctx, scan.repo, { signal, onProgress })
  progress.lap('vectors')
  await progress.settled()
  const warning =
    embedError === null
      ? {}
      : { error: `Not all memories have vectors: ${embedError}`, errorCode: 'embedder_failed' }
  const outcome = { status: 'completed', commit, described, ...warning } as const
  await transactionWithRetry(ctx.db, (tx) => endScan(tx, ctx.notifications, scan, outcome))
  ctx.log.info({ commit, timings: progress.timings, statistics }, 'The scan is done')
}
