// Scans a repository: access → head of the default branch → fetch → code graph → memory → end.
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

/** Runs one claimed scan to its end. Throws what stopped it; LeaseLostError means that another worker goes on. */
export async function scanRepository(ctx: AppContext, task: ScanTask): Promise<void> {
  const { scan, signal } = task
  const onFault = (error: unknown) =>
    ctx.log.warn({ err: error }, 'The progress of a scan could not be written down')
  const progress = createProgress(ctx.db, scan, onFault)
  const mirror = await openMirrorFor(ctx, task)
  const commit = await mirror.branchHead(undefined, { signal })
  progress.lap('ask')
  if (commit === undefined) return conclude(ctx, task, progress, { statistics: {} })
  const known = await readScan(ctx.db, scan.repo)
  if (!scan.thorough && (await isUpToDate(ctx, known, commit)))
    return conclude(ctx, task, progress, { commit })

  const graph = ctx.config.graph.enabled ? await openGraph(ctx.db, scan.repo, scan.fence) : null
  progress.report('fetching', 0, 0)
  await fetchCommits(mirror, commit, graph, signal)
  progress.lap('fetch')
  await using snapshot = mirror.snapshot(commit)
  const repository = { runtime: ctx.gitRuntime, gitDirectory: mirror.gitDirectory }
  const { objects } = mirror
  const all: Scan = { ...task, ctx, progress, repository, objects, commit, snapshot }
  const before = graph?.commit ?? null
  const current = graph && (await refreshGraph(all, graph))
  const isSmall = current?.isSmall === true
  // What was described before a small change is still true, if it was true then.
  const isDescribed = isSmall && !scan.thorough && before !== null && known?.described === before
  if (ctx.config.memory && !isDescribed) await saveProjectMemories(all, current?.graph ?? null)
  if (ctx.config.memory) await pruneMemories(ctx.db, scan.repo, signal)
  if (ctx.config.memory) await updateModelConsent(all)
  progress.lap('memory')
  const statistics = (await findGraph(ctx.db, scan.repo))?.statistics ?? {}
  await conclude(ctx, task, progress, {
    commit,
    described: ctx.config.memory ? commit : undefined,
    statistics,
  })
}

/** The mirror of the repository, with the token of somebody who may read it. */
async function openMirrorFor(ctx: AppContext, task: ScanTask): Promise<Mirror> {
  const access = await chooseAccess(ctx, task.scan.repo, task.signal)
  await forgetFormerRepository(ctx, task, access)
  return openRepositoryMirror(ctx, access)
}

/** What is known of another repository that had the name is forgotten, and its reviews make room, before anything is told of this one. */
async function forgetFormerRepository(
  ctx: AppContext,
  { scan, signal }: ScanTask,
  access: Access,
): Promise<void> {
  const { repo } = scan
  const { id: platformRepoId } = await ctx.platform.getRepository(access, signal)
  await transactionWithRetry(ctx.db, async (tx) => {
    const known = await findScannedRepositoryId(tx, repo)
    if (known === platformRepoId) return
    await assertScanLease(tx, scan)
    if (known !== null) {
      await deleteKnowledge(tx, repo)
      await splitReviews(tx, { repo, formerId: known, platformRepoId })
    }
    await saveScannedRepositoryId(tx, { repo, platformRepoId }, { isNew: known !== null })
  })
}

/** Whether nothing was pushed since what is known was written down, and all is known that is asked for. */
async function isUpToDate(
  { db, config, embedder }: AppContext,
  scan: ScanState | undefined,
  commit: string,
): Promise<boolean> {
  if (scan?.commit !== commit || (config.memory && scan.described !== commit)) return false
  if (embedder !== null && (await readModelConsent(db, scan.repo)) === null) return false
  return !config.graph.enabled || (await findGraph(db, scan.repo))?.commit === commit
}

/** With the commit that the graph shows, to compare them; that one may be gone. */
async function fetchCommits(
  mirror: Mirror,
  commit: string,
  graph: WritableGraph | null,
  signal: AbortSignal,
): Promise<void> {
  const both = graph === null || graph.commit === null ? [commit] : [commit, graph.commit]
  try {
    await mirror.fetchCommits(both, { signal })
  } catch (error) {
    if (!(error instanceof GitError) || both.length === 1) throw error
    await mirror.fetchCommits([commit], { signal })
  }
}

/** Returns the graph as it is then. `fitsOneTransaction`: what there is to say of the project can't have changed. */
async function refreshGraph(
  scan: Scan,
  graph: WritableGraph,
): Promise<{ graph: WritableGraph; isSmall: boolean }> {
  const changed = graph.commit === scan.commit ? null : await updateGraph(scan, graph)
  const current = changed === null ? await buildGraph(scan, graph) : graph
  await deleteUnusedGraphs(scan.ctx.db, scan.signal)
  scan.progress.lap('sweep')
  // Of code, the names of what it defines; of all else, anything.
  return {
    graph: current,
    isSmall: changed?.every(({ encodedIndex: facts }) => facts !== null) ?? false,
  }
}

/** What an embedder fails of is told; memories are found by their words then. */
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
  const fault = await embedMemories(ctx, scan.repo, { signal, onProgress })
  progress.lap('vectors')
  await progress.settled()
  const noted =
    fault === null
      ? {}
      : { error: `Not all memories have vectors: ${fault}`, errorCode: 'embedder_failed' }
  const outcome = { status: 'completed', commit, described, ...noted } as const
  await transactionWithRetry(ctx.db, (tx) => endScan(tx, ctx.notifications, scan, outcome))
  ctx.log.info({ commit, timings: progress.timings, statistics }, 'The scan is done')
}
