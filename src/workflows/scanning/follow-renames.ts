// Moves file activity and memories of files along with renames on the default branch.
import type { Db } from '../../db/database.ts'
import { compareTrees } from '../../git/compare-trees.ts'
import { moveFileActivity } from '../../knowledge/file-activity/move-file-activity.ts'
import type { WritableGraph } from '../../knowledge/graph/write-graph.ts'
import { moveMemories } from '../../knowledge/memory/move-memories.ts'
import type { Scan } from './scan-context.ts'

/** Renames can't be detected reliably among more changes. */
const maxChanges = 20_000

/**
 * Finds the renames between the commit of the graph and the scanned one.
 *
 * @returns a function that moves the paths, for the transaction that updates the graph
 */
export async function followRenames(
  {
    scan: { repo },
    repository,
    commit,
    signal,
  }: Pick<Scan, 'scan' | 'repository' | 'commit' | 'signal'>,
  graph: WritableGraph,
): Promise<(tx: Db) => Promise<void>> {
  if (graph.commit === null || graph.commit === commit) return async () => {}
  const changes =
    (await compareTrees(repository, graph.commit, commit, { maxChanges, signal })) ?? []
  const renames = changes.flatMap(({ path, previousPath }) =>
    previousPath === null ? [] : [{ from: previousPath, to: path }],
  )
  if (renames.length === 0) return async () => {}
  return async (tx) => {
    await moveFileActivity(tx, repo, renames)
    await moveMemories(tx, repo, renames)
  }
}
