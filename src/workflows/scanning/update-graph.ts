// Brings the code graph up to date where only the contents of few files changed: their own rows, and the edges that this touches.

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

/** More changed files, or files whose edges may change, are as quickly found by building the whole graph. */
const maxChanges = 50
const maxSources = 400
/** Types are followed over so many files: what one says of a field's type, those see that come from it. */
const maxTypeSteps = 3

/**
 * Brings the graph from the commit that it shows to the one that is scanned.
 *
 * @returns the files that changed; null where this takes building the graph, and nothing was done
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
  // Git and the database work side by side.
  const [changed, stored, before, allPaths] = await Promise.all([
    describeChanged(scan, changes),
    readStoredFiles(ctx.db, graph.id, paths),
    readFileIndexes(ctx.db, graph, paths),
    readPaths(ctx.db, graph),
  ])
  // What isn't in the graph, it doesn't hold for a reason that may have gone.
  if (paths.some((path) => !stored.has(path))) return null
  progress.lap('list')
  const files = await readFiles(scan, graph, changed)
  progress.lap('read')
  const overlay = new Map(
    files.map(({ row, encodedIndex: facts }) => [row.path, facts && decodeFileIndex(facts)]),
  )
  const sources = await findSources(scan, graph, before, overlay)
  if (sources === null) return null
  const imports = createImportResolver(allPaths, resolution)
  const found = await queryStoredView(ctx.db, graph, { overlay, imports }, (view) =>
    sources.flatMap((path) => listEdges(view, path)),
  )
  progress.lap('resolve')
  const around = await readStoredFiles(ctx.db, graph.id, [
    ...sources,
    ...found.map(({ target }) => target),
  ])
  const ids = new Map([...around.values(), ...stored.values()].map(({ path, id }) => [path, id]))
  await writeGraph(ctx.db, graph, {
    difference: {
      removedFileIds: [],
      files: files.map(({ row, symbols }) => ({ id: stored.get(row.path)!.id, row, symbols })),
      ...compareEdges(
        await readStoredEdges(
          ctx.db,
          sources.map((path) => ids.get(path)!),
        ),
        found,
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

/** A file that is there before and after, and says nothing about others. */
function isOrdinary({ status, kind, path }: TreeChange, resolution: ImportConfig): boolean {
  return status === 'modified' && kind === 'file' && !affectsImportConfig(path, resolution)
}

/** The files whose edges may be others now; null where they may be too many to tell. */
async function findSources(
  { ctx }: Scan,
  graph: WritableGraph,
  before: ReadonlyMap<string, FileIndex>,
  after: ReadonlyMap<string, FileIndex | null>,
): Promise<string[] | null> {
  const sources = new Set<string>()
  const names = new Set<string>()
  const speaking: string[] = []
  for (const [path, facts] of after) {
    const old = before.get(path) ?? null
    const touched = findAffectedNames(old, facts)
    if (touched === null) return null
    if (facts !== null) sources.add(path)
    if (touched.size > 0) speaking.push(path)
    for (const name of touched) names.add(name)
  }
  if (speaking.length > 0) {
    const [dependents, users] = await Promise.all([
      listDependents(ctx.db, graph, speaking, { depth: maxTypeSteps, limit: maxSources + 1 }),
      findPossibleUsers(ctx.db, graph, [...names], maxSources + 1),
    ])
    for (const { path } of dependents) sources.add(path)
    for (const path of users) sources.add(path)
  }
  return sources.size > maxSources ? null : [...sources]
}
