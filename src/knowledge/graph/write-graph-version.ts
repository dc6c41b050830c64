// Rebuilds a code graph in small transactions and then switches from the old version to the new.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { CodeEdge } from '../resolution/list-edges.ts'
import type { FileRow, SymbolRow } from './graph-rows.ts'
import { type GraphState, saveGraphState, type WritableGraph, writeFenced } from './write-graph.ts'
import { batchSizes, chunk, insertEdges, insertFiles, insertSymbols } from './write-rows.ts'

/** A graph version that is being written and that no reader sees before `publish`. */
export interface GraphVersion {
  /** Writes files with their symbols; no file may be added twice. */
  addFiles(
    files: readonly { readonly row: FileRow; readonly symbols: readonly SymbolRow[] }[],
  ): Promise<void>
  /** Writes edges between files that were added. */
  addEdges(edges: readonly CodeEdge[]): Promise<void>
  /**
   * Replaces the published version atomically. `deleteUnusedGraphs` deletes the old one later.
   *
   * @param writeMore runs in the same transaction
   * @returns the graph with its new id and state
   */
  publish(state: GraphState, writeMore: (tx: Db) => Promise<void>): Promise<WritableGraph>
}

/** Begins a version. An unpublished version of an earlier scan becomes unreferenced. */
export async function openGraphVersion(
  db: Db,
  graph: WritableGraph,
  signal: AbortSignal,
): Promise<GraphVersion> {
  const write = <Result>(work: (tx: Db) => Promise<Result>) => {
    signal.throwIfAborted()
    return writeFenced(db, graph, work)
  }
  const id = await write((tx) => allocateVersionId(tx, graph))
  const ids = new Map<string, number>()
  return {
    async addFiles(files) {
      for (const batch of chunk(files, batchSizes.files)) {
        const newFiles = batch.map(({ row }) => ({ id: null, row }))
        const added = await write((tx) => insertFiles(tx, id, newFiles))
        for (const file of added) ids.set(file.path, file.id)
      }
      const symbols = files.flatMap(({ row, symbols }) =>
        symbols.map((symbol) => ({ path: row.path, symbol })),
      )
      for (const batch of chunk(symbols, batchSizes.symbols))
        await write((tx) => insertSymbols(tx, id, batch, ids))
    },
    async addEdges(edges) {
      for (const batch of chunk(edges, batchSizes.edges))
        await write((tx) => insertEdges(tx, id, batch, ids))
    },
    async publish(state, writeMore) {
      await write(async (tx) => {
        await writeMore(tx)
        await saveGraphState(tx, { repo: graph.repo, id }, state)
      })
      return { ...graph, ...state, id }
    },
  }
}

/** Records the id before the first row is written, so that `deleteUnusedGraphs` spares the rows. */
async function allocateVersionId(tx: Db, { repo }: WritableGraph): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    update code_graphs set building_id = nextval(pg_get_serial_sequence('code_graphs', 'id'))
    where repo = ${repo}
    returning building_id as id`.execute(tx)
  return rows[0]!.id
}
