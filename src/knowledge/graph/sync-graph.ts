// Brings the stored code graph of a repository up to date with a commit.
import { compareTrees, type TreeChange } from '../../git/compare-trees.ts'
import { deleteUnusedGraphs } from './syncing/delete-unused-graphs.ts'
import {
  type GraphSync,
  openGraph,
  type SyncedGraph,
  type SyncProgress,
  type SyncRequest,
} from './syncing/open-graph.ts'
import { rebuildGraph } from './syncing/rebuild-graph.ts'
import { updateGraph } from './syncing/update-graph.ts'

export type { SyncedGraph, SyncProgress, SyncRequest }

/** Renames can't be detected reliably among more changes. */
const maxChanges = 20_000

/**
 * Updates the graph in place if few files changed only their contents, and otherwise compares or
 * rewrites all of it. Readers see the old graph until the new one is complete.
 *
 * @throws LeaseLostError if a scan with a later lease has opened the graph
 */
export async function syncGraph(request: SyncRequest): Promise<SyncedGraph> {
  const { db, progress, signal } = request
  const graph = await openGraph(request)
  const changes = await listChanges(request, graph.commit)
  const renames = (changes ?? []).flatMap(({ path, previousPath }) =>
    previousPath === null ? [] : [{ from: previousPath, to: path }],
  )
  const sync: GraphSync = { ...request, graph, renames }
  const updated = changes && (await updateGraph(sync, changes))
  const synced = updated ?? (await rebuildGraph(sync))
  await deleteUnusedGraphs(db, signal)
  progress.lap('sweep')
  return synced
}

/** Returns undefined if there is no other commit to compare with, or the comparison fails. */
async function listChanges(
  { repository, snapshot, signal }: SyncRequest,
  commit: string | null,
): Promise<readonly TreeChange[] | undefined> {
  if (commit === null || commit === snapshot.sha) return undefined
  return compareTrees(repository, commit, snapshot.sha, { maxChanges, signal })
}
