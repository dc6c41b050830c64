// Updates the code graph in place after few files changed only their contents: their rows, and the
// edges that this affects.

import type { FileIndex } from '../../code/code-index.ts'
import { decodeFileIndex } from '../../code/indexing/encode-file-index.ts'
import { compareTrees, type TreeChange } from '../../git/compare-trees.ts'
import { findAffectedNames } from '../../knowledge/graph/compare-file-indexes.ts'
import {
  findPossibleUsers,
  listDependents,
  readFileIndexes,
  readPaths,
} from '../../knowledge/graph/read-graph.ts'
import { deleteOutdatedFileIndexes } from '../../knowledge/graph/stored-file-indexes.ts'
import {
  compareEdges,
  readStoredEdges,
  readStoredFiles,
} from '../../knowledge/graph/stored-graph.ts'
import { queryStoredView } from '../../knowledge/graph/stored-view.ts'
import { type WritableGraph, writeGraph } from '../../knowledge/graph/write-graph.ts'
import type { ImportConfig } from '../../knowledge/resolution/import-config.ts'
import { createImportResolver } from '../../knowledge/resolution/imports/import-resolver.ts'
import { listEdges } from '../../knowledge/resolution/list-edges.ts'
import { affectsImportConfig } from '../../knowledge/resolution/read-import-config.ts'
import { describeEntry, type ScannedFile } from './choose-files.ts'
import { type ReadFile, readFiles } from './read-files.ts'
import type { Scan } from './scan-context.ts'

/** Beyond these limits, building the whole graph is as fast. */
const maxChanges = 50
const maxSources = 400
/** A type can reach another file over this many steps of imports. */
const maxTypeSteps = 3

/**
 * Updates the graph to the scanned commit.
 *
 * @returns the changed files; null if the graph has to be built instead, and nothing was done
 */
export async function updateGraph(
  scan: Scan,
  graph: WritableGraph,
): Promise<readonly ReadFile[] | null> {
  const { ctx, repository, commit, signal, progress } = scan
  if (graph.commit === null) return null
  const resolution = graph.resolution as ImportConfig
  const changes = await compareTrees(repository, graph.commit, commit, {
    maxChanges,
    signal,
  })
  if (changes === undefined || !changes.every((change) => isOrdinary(change, resolution)))
    return null
  const paths = changes.map(({ path }) => path)
  // Git and the database work in parallel.
  const [changed, stored, before, allPaths] = await Promise.all([
    describeChanged(scan, changes),
    readStoredFiles(ctx.db, graph.id, paths),
    readFileIndexes(ctx.db, graph, paths),
    readPaths(ctx.db, graph),
  ])
  // A file that was left out of the graph may have to be in it now.
  if (paths.some((path) => !stored.has(path))) return null
  progress.lap('list')
  const files = await readFiles(scan, graph, changed)
  progress.lap('read')
  const overlay = new Map(
    files.map(({ row, encodedIndex }) => [row.path, encodedIndex && decodeFileIndex(encodedIndex)]),
  )
  const sources = await findSources(scan, graph, before, overlay)
  if (sources === null) return null
  const imports = createImportResolver(allPaths, resolution)
  const edges = await queryStoredView(ctx.db, graph, { overlay, imports }, (view) =>
    sources.flatMap((path) => listEdges(view, path)),
  )
  progress.lap('resolve')
  const neighbors = await readStoredFiles(ctx.db, graph.id, [
    ...sources,
    ...edges.map(({ target }) => target),
  ])
  const ids = new Map([...neighbors.values(), ...stored.values()].map(({ path, id }) => [path, id]))
  await writeGraph(ctx.db, graph, {
    difference: {
      removedFileIds: [],
      files: files.map(({ row, symbols }) => ({ id: stored.get(row.path)!.id, row, symbols })),
      ...compareEdges(
        await readStoredEdges(
          ctx.db,
          sources.map((path) => ids.get(path)!),
        ),
        edges,
        ids,
      ),
    },
    ids,
    state: { commit, resolution: graph.resolution, statistics: graph.statistics },
    writeMore: async () => {},
  })
  progress.lap('write')
  await deleteOutdatedFileIndexes(ctx.db, graph, [...stored.values()])
  return files
}

async function describeChanged(
  { objects, signal }: Scan,
  changes: readonly TreeChange[],
): Promise<ScannedFile[]> {
  const files: ScannedFile[] = []
  for (const { path, kind, oid } of changes) {
    signal.throwIfAborted()
    const { size = 0 } = (await objects.info(oid)) ?? {}
    files.push(describeEntry({ path, kind, oid, size }))
  }
  return files
}

/** Whether only the content of a file changed, and it doesn't configure imports. */
function isOrdinary({ status, kind, path }: TreeChange, resolution: ImportConfig): boolean {
  return status === 'modified' && kind === 'file' && !affectsImportConfig(path, resolution)
}

/** Lists the files whose edges may have changed; null if there are too many. */
async function findSources(
  { ctx }: Scan,
  graph: WritableGraph,
  before: ReadonlyMap<string, FileIndex>,
  after: ReadonlyMap<string, FileIndex | null>,
): Promise<string[] | null> {
  const sources = new Set<string>()
  const names = new Set<string>()
  const pathsWithNames: string[] = []
  for (const [path, index] of after) {
    const old = before.get(path) ?? null
    const affectedNames = findAffectedNames(old, index)
    if (affectedNames === null) return null
    if (index !== null) sources.add(path)
    if (affectedNames.size > 0) pathsWithNames.push(path)
    for (const name of affectedNames) names.add(name)
  }
  if (pathsWithNames.length > 0) {
    const [dependents, users] = await Promise.all([
      listDependents(ctx.db, graph, pathsWithNames, { depth: maxTypeSteps, limit: maxSources + 1 }),
      findPossibleUsers(ctx.db, graph, [...names], maxSources + 1),
    ])
    for (const { path } of dependents) sources.add(path)
    for (const path of users) sources.add(path)
  }
  return sources.size > maxSources ? null : [...sources]
}
