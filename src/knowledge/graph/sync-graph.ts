// Brings the stored code graph of a repository up to date with a commit.
import { compareTrees, type TreeChange } from '../../git/compare-trees.ts'
import { deleteUnusedGraphs } from './syncing/delete-unused-graphs.ts'
import type {
  GraphSync,
  SyncedGraph,
  SyncProgress,
  SyncRequest,
  WritableGraph,
} from './syncing/open-graph.ts'
import { rebuildGraph } from './syncing/rebuild-graph.ts'
import { updateGraph } from './syncing/update-graph.ts'

export { openGraph } from './syncing/open-graph.ts'
export type { SyncedGraph, SyncProgress, SyncRequest, WritableGraph }

/** Renames can't be detected reliably among more changes. */
const maxChanges = 20_000

/**
 * Updates the graph in place if few files changed only their contents, and otherwise compares or
 * rewrites all of it. Readers see the old graph until the new one is complete.
 *
 * @throws LeaseLostError if a scan with a later lease has opened the graph
 */
export async function syncGraph(request: SyncRequest): Promise<SyncedGraph> {
  const { db, graph, progress, signal } = request
  const changes = await listChanges(request, graph.commit)
  const renames = (changes ?? []).flatMap(({ path, previousPath }) =>
    previousPath === null ? [] : [{ from: previousPath, to: path }],
  )
  const sync: GraphSync = { ...request, renames }
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
