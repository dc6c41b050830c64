// Reads a whole tree and writes what differs from the stored graph, or a new version of the graph.
import { listSizedTree } from '../../../git/list-tree.ts'
import type { CodeEdge } from '../../resolution/list-edges.ts'
import { readImportConfig } from '../../resolution/read-import-config.ts'
import { resolveTree } from '../../resolution/resolve-tree.ts'
import { type SerializedTree, serializeTree } from '../../resolution/serialized-tree.ts'
import { chooseFiles, maxFiles } from '../choose-files.ts'
import { type IndexedFile, indexFiles } from './index-files.ts'
import type { GraphSync, SyncedGraph } from './open-graph.ts'
import { deleteUnusedFileIndexes } from './stored-file-indexes.ts'
import { compareEdges, compareFiles, readStoredEdges, readStoredFiles } from './stored-graph.ts'
import {
  fitsOneTransaction,
  type GraphTree,
  type WrittenGraph,
  writeDifference,
  writeVersion,
} from './write-graph.ts'

/**
 * Lists more files than a graph holds, to count the omitted ones; hostile trees can have billions.
 */
const maxListedEntries = 2 * maxFiles

export async function rebuildGraph(sync: GraphSync): Promise<SyncedGraph> {
  const { db, graph, repository, snapshot, indexer, progress, signal } = sync
  const limits = { maxEntries: maxListedEntries, signal }
  const { entries } = await listSizedTree(repository, snapshot.sha, limits)
  const { files: chosenFiles, leftOut } = chooseFiles(entries)
  progress.lap('list')
  const files = await indexFiles(sync, chosenFiles)
  // Frees the threads' memory before edges are resolved.
  await indexer.releaseIdleThreads()
  progress.lap('read')
  const paths = files.map(({ row }) => row.path)
  const resolution = await readImportConfig(
    { ...snapshot, listFiles: async () => entries.slice(0, maxFiles) },
    paths,
  )
  const written = await writeTree(sync, {
    files,
    resolveEdges: () => resolveEdges(sync, files, { paths, resolution }),
    describe: (edges) => ({ resolution, statistics: describeGraph(files, edges, leftOut) }),
  })
  progress.lap('write')
  await deleteUnusedFileIndexes(
    db,
    graph,
    files.map(({ row }) => row),
  )
  return { ...written, smallChangeSince: null }
}

async function resolveEdges(
  { progress, signal }: GraphSync,
  files: readonly IndexedFile[],
  { paths, resolution }: Pick<SerializedTree, 'paths' | 'resolution'>,
): Promise<readonly CodeEdge[]> {
  const indexedFiles = files.flatMap(({ row: { path, namespace }, symbols, encodedIndex }) =>
    encodedIndex === null
      ? []
      : [{ path, namespace, names: symbols.map(({ name }) => name), encodedIndex }],
  )
  const edges = await resolveTree(serializeTree(paths, resolution, indexedFiles), {
    signal,
    onProgress: (done, total) => progress.report('resolving references', done, total),
  })
  progress.lap('resolve')
  return edges
}

/** A new version is written while its edges are resolved. */
async function writeTree(sync: GraphSync, tree: GraphTree): Promise<WrittenGraph> {
  const { db, graph } = sync
  if (graph.commit === null) return writeVersion(sync, tree)
  const stored = await readStoredFiles(db, graph.id)
  const ids = new Map([...stored.values()].map(({ path, id }) => [path, id]))
  const edges = await tree.resolveEdges()
  const difference = {
    ...compareFiles(stored, tree.files),
    ...compareEdges(await readStoredEdges(db, [...ids.values()]), edges, ids),
  }
  return fitsOneTransaction(difference)
    ? writeDifference(sync, difference, ids, tree.describe(edges.length))
    : writeVersion(sync, { ...tree, resolveEdges: async () => edges })
}

/**
 * Collects the statistics of a build, which are shown and partly can't be counted from the rows.
 */
function describeGraph(files: readonly IndexedFile[], edges: number, leftOut: object) {
  return {
    files: files.length,
    parsed: files.filter(({ encodedIndex }) => encodedIndex !== null).length,
    symbols: files.reduce((sum, { symbols }) => sum + symbols.length, 0),
    edges,
    leftOut,
  }
}
