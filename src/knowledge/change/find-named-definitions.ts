// Finds definitions by their names in the stored code graph of the default branch.
import { toStorableText } from '../../contract/storable-text.ts'
import type { Db } from '../../db/database.ts'
import type { NamedDefinition } from '../../domain/change-graph.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { findDefinitionsByName, findGraph, readInOneSnapshot } from '../graph/read-graph.ts'

/**
 * Names without definitions are left out. Returns null if there is no graph.
 *
 * @param timeoutMs applies to each statement
 */
export async function findNamedDefinitions(
  db: Db,
  { repo, names, timeoutMs }: { repo: RepositoryName; names: readonly string[]; timeoutMs: number },
): Promise<ReadonlyMap<string, readonly NamedDefinition[]> | null> {
  const storable = names.filter((name) => toStorableText(name) === name)
  return readInOneSnapshot(db, timeoutMs, async (tx) => {
    const graph = await findGraph(tx, repo)
    return graph && findDefinitionsByName(tx, graph, storable)
  })
}
