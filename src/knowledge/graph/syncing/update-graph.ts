// Updates the code graph in place after few files changed only their contents: their rows, and the
// edges that this affects.

import { decodeFileIndex } from '../../../code/indexing/encode-file-index.ts'
import type { TreeChange } from '../../../git/compare-trees.ts'
import type { FileIndex } from '../../../languages/code-index.ts'
import type { ImportConfig } from '../../../languages/common/import-config.ts'
import { createImportResolver } from '../../resolution/import-resolver.ts'
import { listEdges } from '../../resolution/list-edges.ts'
import { affectsImportConfig } from '../../resolution/read-import-config.ts'
import { describeEntry, type ScannedFile } from '../choose-files.ts'
import { findPossibleUsers, listDependents, readFileIndexes, readPaths } from '../read-graph.ts'
import { queryStoredView } from '../stored-view.ts'
import { findAffectedNames } from './compare-file-indexes.ts'
import { indexFiles } from './index-files.ts'
import type { GraphSync, SyncedGraph } from './open-graph.ts'
import { deleteOutdatedFileIndexes } from './stored-file-indexes.ts'
import { compareEdges, readStoredEdges, readStoredFiles } from './stored-graph.ts'
import { writeDifference } from './write-graph.ts'

/** Beyond these limits, building the whole graph is as fast. */
const maxChanges = 50
const maxSources = 400
/** A type can reach another file over this many steps of imports. */
const maxTypeSteps = 3

/**
 * Updates the graph to the commit.
 *
 * @param changes all changes since the commit of the graph
 * @returns null if the graph has to be rebuilt instead; its rows are as before
 */
export async function updateGraph(
  sync: GraphSync,
  changes: readonly TreeChange[],
): Promise<SyncedGraph | null> {
  const { db, graph, progress } = sync
  const { resolution } = graph
  const isSmall = changes.length <= maxChanges
  if (!isSmall || !changes.every((change) => isOrdinary(change, resolution))) return null
  const paths = changes.map(({ path }) => path)
  // Git and the database work in parallel.
  const [changed, stored, before, allPaths] = await Promise.all([
    describeChanged(sync, changes),
    readStoredFiles(db, graph.id, paths),
    readFileIndexes(db, graph, paths),
    readPaths(db, graph),
  ])
  // A file that was left out of the graph may have to be in it now.
  if (paths.some((path) => !stored.has(path))) return null
  progress.lap('list')
  const files = await indexFiles(sync, changed)
  progress.lap('read')
  const overlay = new Map(
    files.map(({ row, encodedIndex }) => [row.path, encodedIndex && decodeFileIndex(encodedIndex)]),
  )
  const sources = await findSources(sync, before, overlay)
  if (sources === null) return null
  const imports = createImportResolver(allPaths, resolution)
  const edges = await queryStoredView(db, graph, { overlay, imports }, (view) =>
    sources.flatMap((path) => listEdges(view, path)),
  )
  progress.lap('resolve')
  const neighbors = await readStoredFiles(db, graph.id, [
    ...sources,
    ...edges.map(({ target }) => target),
  ])
  const ids = new Map([...neighbors.values(), ...stored.values()].map(({ path, id }) => [path, id]))
  const sourceIds = sources.map((path) => ids.get(path)!)
  const difference = {
    removedFileIds: [],
    files: files.map(({ row, symbols }) => ({ id: stored.get(row.path)!.id, row, symbols })),
    ...compareEdges(await readStoredEdges(db, sourceIds), edges, ids),
  }
  const written = await writeDifference(sync, difference, ids, graph)
  progress.lap('write')
  await deleteOutdatedFileIndexes(db, graph, [...stored.values()])
  const isCodeOnly = files.every(({ encodedIndex }) => encodedIndex !== null)
  return { ...written, smallChangeSince: isCodeOnly ? graph.commit : null }
}

async function describeChanged(
  { repository: { objects }, signal }: GraphSync,
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
  { db, graph }: GraphSync,
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
      listDependents(db, graph, pathsWithNames, { depth: maxTypeSteps, limit: maxSources + 1 }),
      findPossibleUsers(db, graph, [...names], maxSources + 1),
    ])
    for (const { path } of dependents) sources.add(path)
    for (const path of users) sources.add(path)
  }
  return sources.size > maxSources ? null : [...sources]
}
