// Brings the code graph up to date with a whole tree: in place if little differs, or as a new
// version.

import { analyzeTables } from '../../db/analyze-tables.ts'
import { listTree } from '../../git/list-tree.ts'
import { deleteUnusedFileIndexes } from '../../knowledge/graph/stored-file-indexes.ts'
import {
  compareEdges,
  readStoredEdges,
  readStoredFiles,
  type StoredFile,
} from '../../knowledge/graph/stored-graph.ts'
import {
  type FileUpdate,
  fitsOneTransaction,
  type GraphState,
  type WritableGraph,
  writeGraph,
} from '../../knowledge/graph/write-graph.ts'
import { openGraphVersion } from '../../knowledge/graph/write-graph-version.ts'
import type { CodeEdge } from '../../knowledge/resolution/list-edges.ts'
import { readImportConfig } from '../../knowledge/resolution/read-import-config.ts'
import { resolveTree } from '../../knowledge/resolution/resolve-tree.ts'
import { type SerializedTree, serializeTree } from '../../knowledge/resolution/serialized-tree.ts'
import { chooseFiles, maxFiles } from './choose-files.ts'
import { followRenames } from './follow-renames.ts'
import { type ReadFile, readFiles } from './read-files.ts'
import type { Scan } from './scan-context.ts'

/**
 * Lists more files than a graph holds, to count the omitted ones; hostile trees can have billions.
 */
const maxListedEntries = 2 * maxFiles

/** Builds or updates the graph and returns its new state. */
export async function buildGraph(scan: Scan, graph: WritableGraph): Promise<WritableGraph> {
  const { ctx, progress, repository, commit, signal } = scan
  const { entries } = await listTree(repository, commit, { maxEntries: maxListedEntries, signal })
  const { files: chosenFiles, leftOut } = chooseFiles(entries)
  progress.lap('list')
  const files = await readFiles(scan, graph, chosenFiles)
  // Frees the threads' memory before edges are resolved.
  await scan.indexer.releaseIdleThreads()
  progress.lap('read')
  const paths = files.map(({ row }) => row.path)
  const resolution = await readImportConfig(
    { ...scan.snapshot, listFiles: async () => entries.slice(0, maxFiles) },
    paths,
  )
  const written = await writeTree(scan, graph, {
    files,
    resolve: () => resolveEdges(scan, files, { paths, resolution }),
    describe: (edges) => ({ commit, resolution, statistics: describeGraph(files, edges, leftOut) }),
  })
  progress.lap('write')
  const rows = files.map(({ row }) => row)
  await deleteUnusedFileIndexes(ctx.db, written, rows)
  return written
}

function resolveEdges(
  { progress, signal }: Scan,
  files: readonly ReadFile[],
  { paths, resolution }: Pick<SerializedTree, 'paths' | 'resolution'>,
) {
  const indexedFiles = files.flatMap(({ row: { path, namespace }, symbols, encodedIndex }) =>
    encodedIndex === null
      ? []
      : [{ path, namespace, names: symbols.map(({ name }) => name), encodedIndex }],
  )
  return resolveTree(serializeTree(paths, resolution, indexedFiles), {
    signal,
    onProgress: (done, total) => progress.report('resolving references', done, total),
  })
}

interface ResolvedTree {
  readonly files: readonly ReadFile[]
  resolve(): Promise<CodeEdge[]>
  /** @param edges the number of edges */
  describe(edges: number): GraphState
}

/** A new version is written while its edges are resolved. */
async function writeTree(
  scan: Scan,
  graph: WritableGraph,
  tree: ResolvedTree,
): Promise<WritableGraph> {
  const { ctx, progress, signal } = scan
  const { files, resolve, describe } = tree
  const moveRenamed = await followRenames(scan, graph)
  const change = graph.commit === null ? null : await compareTree(scan, graph, files)
  let edges: CodeEdge[] | null = null
  if (change !== null) {
    edges = await resolve()
    progress.lap('resolve')
    const { ids } = change
    const stored = await readStoredEdges(ctx.db, [...ids.values()])
    const difference = { ...change.files, ...compareEdges(stored, edges, ids) }
    const state = describe(edges.length)
    if (fitsOneTransaction(difference)) {
      await writeGraph(ctx.db, graph, { difference, ids, state, writeMore: moveRenamed })
      return { ...graph, ...state }
    }
  }
  const version = await openGraphVersion(ctx.db, graph, signal)
  const [found] = await Promise.all([edges ?? resolve(), version.addFiles(files)])
  if (edges === null) progress.lap('resolve')
  progress.report('writing the graph', 0, files.length)
  await version.addEdges(found)
  const shown = await version.publish(describe(found.length), moveRenamed)
  const symbols = files.reduce((sum, file) => sum + file.symbols.length, 0)
  const { length } = files
  await analyzeTables(ctx.db, {
    ...{ code_files: length, code_facts: length, code_symbols: symbols, code_edges: found.length },
  })
  return shown
}

async function compareTree({ ctx }: Scan, graph: WritableGraph, files: readonly ReadFile[]) {
  const stored = await readStoredFiles(ctx.db, graph.id)
  return {
    files: compareFiles(stored, files),
    ids: new Map([...stored.values()].map(({ path, id }) => [path, id])),
  }
}

function compareFiles(stored: ReadonlyMap<string, StoredFile>, files: readonly ReadFile[]) {
  const removedPaths = new Set(stored.keys())
  const changed: FileUpdate[] = []
  for (const { row, symbols } of files) {
    removedPaths.delete(row.path)
    const old = stored.get(row.path)
    if (old === undefined) changed.push({ id: null, row, symbols })
    else if (!isSameFile(old, row))
      changed.push({ id: old.id, row, symbols: isSameBlob(old, row) ? null : symbols })
  }
  return { removedFileIds: [...removedPaths].map((path) => stored.get(path)!.id), files: changed }
}

/** The index depends on these alone, except that an unparsed file may be parsed the next time. */
function isSameBlob(old: StoredFile, row: ReadFile['row']): boolean {
  return old.oid === row.oid && old.grammar === row.grammar && old.unparsed === row.unparsed
}

function isSameFile(old: StoredFile, row: ReadFile['row']): boolean {
  const isSame =
    old.language === row.language &&
    old.kind === row.kind &&
    old.isTest === row.isTest &&
    old.size === row.size &&
    old.lines === row.lines &&
    old.complexity === row.complexity
  return isSame && isSameBlob(old, row)
}

/**
 * Collects the statistics of a build, which are shown and partly can't be counted from the rows.
 */
function describeGraph(files: readonly ReadFile[], edges: number, leftOut: object) {
  return {
    files: files.length,
    parsed: files.filter(({ encodedIndex }) => encodedIndex !== null).length,
    symbols: files.reduce((sum, { symbols }) => sum + symbols.length, 0),
    edges,
    leftOut,
  }
}
