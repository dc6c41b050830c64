// Writes a code graph: what differs in one transaction, or a new version in many small ones.
import { sql } from 'kysely'
import { analyzeTables } from '../../../db/analyze-tables.ts'
import type { Db } from '../../../db/database.ts'
import { toJson } from '../../../db/sql-values.ts'
import { codeIndexVersion } from '../../../languages/code-index.ts'
import type { ImportConfig } from '../../../languages/common/import-config.ts'
import type { CodeEdge } from '../../resolution/list-edges.ts'
import type { FileRow, SymbolRow } from './graph-rows.ts'
import { type GraphSync, type SyncedGraph, type WritableGraph, writeFenced } from './open-graph.ts'
import {
  batchSizes,
  chunk,
  deleteEdges,
  deleteFiles,
  deleteSymbols,
  type EdgeKey,
  type FileToWrite,
  insertEdges,
  insertFiles,
  insertSymbols,
  updateFiles,
  upsertEdges,
} from './write-rows.ts'

/** The changes to write. */
export interface GraphDifference {
  readonly removedFileIds: readonly number[]
  readonly files: readonly FileUpdate[]
  /** Removed edges between files that stay. */
  readonly removedEdges: readonly EdgeKey[]
  /** New and changed edges. */
  readonly edges: readonly CodeEdge[]
}

/** A file that is new or that has changed. */
export interface FileUpdate extends FileToWrite {
  /** Null if they are unchanged. */
  readonly symbols: readonly SymbolRow[] | null
}

/** What is stored about a graph beside its commit. */
interface GraphDescription {
  readonly resolution: ImportConfig
  readonly statistics: object
}

/**
 * The maximum number of rows of one transaction. The embedded database answers no other query
 * during a transaction, which must therefore end within a fraction of a second.
 */
const maxRows = 8_000
/** An estimate of the symbols and edges that are deleted with a file. */
const rowsPerRemovedFile = 20

/** A larger difference must be written as a new version, see `writeVersion`. */
export function fitsOneTransaction(difference: GraphDifference): boolean {
  const { removedFileIds, files, removedEdges, edges } = difference
  const symbolCount = files.reduce((sum, file) => sum + (file.symbols?.length ?? 0), 0)
  const rowCount =
    removedFileIds.length * rowsPerRemovedFile +
    files.length +
    symbolCount +
    removedEdges.length +
    edges.length
  return rowCount <= maxRows
}

/**
 * Applies a difference to the published graph: readers see the old graph or the new one.
 *
 * @param storedIds the ids of unchanged files, by path
 */
export async function writeDifference(
  sync: GraphSync,
  { removedFileIds, files, removedEdges, edges }: GraphDifference,
  storedIds: ReadonlyMap<string, number>,
  description: GraphDescription,
): Promise<WrittenGraph> {
  const { db, graph } = sync
  const added = files.filter(({ id }) => id === null)
  const changed = files.filter(({ id }) => id !== null)
  const fileIdsWithOldSymbols = changed
    .filter(({ symbols }) => symbols !== null)
    .map(({ id }) => id as number)
  const symbols = listSymbols(files)
  await writeFenced(db, graph, async (tx) => {
    const ids = new Map(storedIds)
    for (const batch of chunk(removedFileIds, batchSizes.files)) await deleteFiles(tx, batch)
    for (const batch of chunk(added, batchSizes.files))
      for (const { id, path } of await insertFiles(tx, graph.id, batch)) ids.set(path, id)
    for (const batch of chunk(changed, batchSizes.files)) await updateFiles(tx, batch)
    for (const batch of chunk(fileIdsWithOldSymbols, batchSizes.files))
      await deleteSymbols(tx, batch)
    for (const batch of chunk(symbols, batchSizes.symbols))
      await insertSymbols(tx, graph.id, batch, ids)
    for (const batch of chunk(removedEdges, batchSizes.edges)) await deleteEdges(tx, batch)
    for (const batch of chunk(edges, batchSizes.edges)) await upsertEdges(tx, graph.id, batch, ids)
    await publish(tx, sync, graph.id, description)
  })
  return { id: graph.id, statistics: description.statistics }
}

function listSymbols(files: readonly Pick<FileUpdate, 'row' | 'symbols'>[]) {
  return files.flatMap(({ row: { path }, symbols }) =>
    (symbols ?? []).map((symbol) => ({ path, symbol })),
  )
}

/** The id is a new one after `writeVersion`. */
export type WrittenGraph = Pick<SyncedGraph, 'id' | 'statistics'>

/** A whole graph of which the files are known and the edges will be. */
export interface GraphTree {
  readonly files: readonly { readonly row: FileRow; readonly symbols: readonly SymbolRow[] }[]
  /** Runs while the files are written. */
  resolveEdges(): Promise<readonly CodeEdge[]>
  describe(edgeCount: number): GraphDescription
}

/**
 * Writes a graph in small transactions and then publishes it. `deleteUnusedGraphs` later deletes
 * the version before it, and unpublished versions of earlier scans.
 */
export async function writeVersion(sync: GraphSync, tree: GraphTree): Promise<WrittenGraph> {
  const { db, graph, progress, signal } = sync
  const { files } = tree
  const write = <Result>(work: (tx: Db) => Promise<Result>) => {
    signal.throwIfAborted()
    return writeFenced(db, graph, work)
  }
  const id = await write((tx) => allocateVersionId(tx, graph))
  const ids = new Map<string, number>()
  const writeFiles = async () => {
    for (const batch of chunk(files, batchSizes.files)) {
      const newFiles = batch.map(({ row }) => ({ id: null, row }))
      const added = await write((tx) => insertFiles(tx, id, newFiles))
      for (const file of added) ids.set(file.path, file.id)
    }
    const symbols = listSymbols(files)
    for (const batch of chunk(symbols, batchSizes.symbols))
      await write((tx) => insertSymbols(tx, id, batch, ids))
    return symbols.length
  }
  const [edges, symbolCount] = await Promise.all([tree.resolveEdges(), writeFiles()])
  progress.report('writing the graph', 0, files.length)
  for (const batch of chunk(edges, batchSizes.edges))
    await write((tx) => insertEdges(tx, id, batch, ids))
  const description = tree.describe(edges.length)
  await write((tx) => publish(tx, sync, id, description))
  const { length } = files
  await analyzeTables(db, {
    code_files: length,
    code_facts: length,
    code_symbols: symbolCount,
    code_edges: edges.length,
  })
  return { id, statistics: description.statistics }
}

/** Records the id before the first row is written, so that `deleteUnusedGraphs` spares the rows. */
async function allocateVersionId(tx: Db, { repo }: WritableGraph): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    update code_graphs set building_id = nextval(pg_get_serial_sequence('code_graphs', 'id'))
    where repo = ${repo}
    returning building_id as id`.execute(tx)
  return rows[0]!.id
}

/** Saves which version of the graph readers see, and what it describes. */
async function publish(
  tx: Db,
  { graph, snapshot, renames, onRenames }: GraphSync,
  id: number,
  { resolution, statistics }: GraphDescription,
): Promise<void> {
  if (renames.length > 0) await onRenames(tx, renames)
  await tx
    .updateTable('codeGraphs')
    .set({
      id,
      buildingId: null,
      commitSha: snapshot.sha,
      factsVersion: codeIndexVersion,
      resolution: toJson(resolution),
      statistics: toJson(statistics),
      builtAt: sql`now()`,
    })
    .where('repo', '=', graph.repo)
    .execute()
}
