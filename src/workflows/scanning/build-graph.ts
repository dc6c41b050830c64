// Brings the whole code graph up to date with a tree: files, symbols and edges that differ from what is stored.

import { sweepFacts, sweepForgotten } from '../../knowledge/graph/stored-facts.ts'
import { compareEdges, readStoredEdges, readStoredFiles, type StoredFile } from '../../knowledge/graph/stored-graph.ts'
import { type ChangedFile, clearGraph, type OpenGraph, writeGraph } from '../../knowledge/graph/write-graph.ts'
import { createImportResolver } from '../../knowledge/resolution/imports/import-resolver.ts'
import { readResolution } from '../../knowledge/resolution/read-resolution.ts'
import { listTree } from '../../workspace/list-tree.ts'
import { chooseFiles, mostFiles } from './choose-files.ts'
import { followRenames } from './follow-renames.ts'
import { type ReadFile, readFiles } from './read-files.ts'
import { resolveAllEdges } from './resolve-edges.ts'
import type { Scan } from './scan-context.ts'

/** Lists more than are kept, so that it can be told how many are left out; a tree may have billions. */
const mostListed = 2 * mostFiles

/** Builds the graph, or brings it up to date. */
export async function buildGraph(scan: Scan, graph: OpenGraph): Promise<void> {
  const { ctx, progress, repository, commit, signal } = scan
  if (graph.commit === null) await clearGraph(ctx.db, graph)
  const { entries } = await listTree(repository, commit, { maxEntries: mostListed, signal })
  const { files: chosen, leftOut } = chooseFiles(entries)
  progress.lap('list')
  const files = await readFiles(scan, graph, chosen)
  progress.lap('read')
  const paths = files.map(({ row }) => row.path)
  const resolution = await readResolution(
    { ...scan.snapshot, listFiles: async () => entries.slice(0, mostFiles) },
    paths,
  )
  const found = await resolveAllEdges(scan, files, createImportResolver(paths, resolution))
  progress.lap('resolve')
  progress.tell('writing the graph', 0, files.length)
  const stored = await readStoredFiles(ctx.db, graph.id)
  const ids = new Map([...stored.values()].map(({ path, id }) => [path, id]))
  const difference = {
    ...compareFiles(stored, files),
    ...compareEdges(await readStoredEdges(ctx.db, [...ids.values()]), found, ids),
  }
  await writeGraph(ctx.db, graph, {
    difference,
    ids,
    state: { commit, resolution, statistics: describeGraph(files, found.length, leftOut) },
    along: await followRenames(scan, graph),
  })
  progress.lap('write')
  const rows = files.map(({ row }) => row)
  await sweepFacts(ctx.db, graph, rows)
  await sweepForgotten(ctx.db)
  progress.lap('sweep')
}

function compareFiles(stored: ReadonlyMap<string, StoredFile>, files: readonly ReadFile[]) {
  const gone = new Set(stored.keys())
  const changed: ChangedFile[] = []
  for (const { row, symbols } of files) {
    gone.delete(row.path)
    const old = stored.get(row.path)
    if (old === undefined) changed.push({ id: null, row, symbols })
    else if (!isSameFile(old, row)) changed.push({ id: old.id, row, symbols: isSameBlob(old, row) ? null : symbols })
  }
  return { removed: [...gone].map((path) => stored.get(path)!.id), files: changed }
}

/** What was read of it hangs on these alone; of what couldn't be read the next time may. */
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

/** What can't be counted from the rows, and what is told of a build. */
function describeGraph(files: readonly ReadFile[], edges: number, leftOut: object) {
  return {
    files: files.length,
    parsed: files.filter(({ facts }) => facts !== null).length,
    symbols: files.reduce((sum, { symbols }) => sum + symbols.length, 0),
    edges,
    leftOut,
  }
}
