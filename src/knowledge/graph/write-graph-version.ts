// Writes a code graph anew, in pieces, beside the one that is shown: others have the database in between, and nobody reads it yet.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { CodeEdge } from '../resolution/list-edges.ts'
import type { FileRow, SymbolRow } from './graph-rows.ts'
import { type GraphState, saveGraphState, type WritableGraph, writeFenced } from './write-graph.ts'
import { batchSizes, chunk, insertEdges, insertFiles, insertSymbols } from './write-rows.ts'

/** A version of a graph that is being written. */
export interface GraphVersion {
  /** Writes files, each once, with their symbols. */
  addFiles(
    files: readonly { readonly row: FileRow; readonly symbols: readonly SymbolRow[] }[],
  ): Promise<void>
  /** Writes edges between files that were added. */
  addEdges(edges: readonly CodeEdge[]): Promise<void>
  /**
   * Puts it in the place of what was shown, in one step.
   *
   * @param along what is to change in the same moment
   * @returns the graph as it is now; what was shown before is left to `deleteUnusedGraphs`
   */
  publish(state: GraphState, along: (tx: Db) => Promise<void>): Promise<WritableGraph>
}

/** Begins a version. What an earlier scan left of one that it didn't show is nobody's from now on. */
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
      for (const some of chunk(files, batchSizes.files)) {
        const added = await write((tx) =>
          insertFiles(
            tx,
            id,
            some.map(({ row }) => ({ id: null, row })),
          ),
        )
        for (const file of added) ids.set(file.path, file.id)
      }
      const symbols = files.flatMap(({ row, symbols }) =>
        symbols.map((symbol) => ({ path: row.path, symbol })),
      )
      for (const some of chunk(symbols, batchSizes.symbols))
        await write((tx) => insertSymbols(tx, id, some, ids))
    },
    async addEdges(edges) {
      for (const some of chunk(edges, batchSizes.edges))
        await write((tx) => insertEdges(tx, id, some, ids))
    },
    async publish(state, along) {
      await write(async (tx) => {
        await along(tx)
        await saveGraphState(tx, { repo: graph.repo, id }, state)
      })
      return { ...graph, ...state, id }
    },
  }
}

/** Says whose rows these are before there are any. */
async function allocateVersionId(tx: Db, { repo }: WritableGraph): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    update code_graphs set building_id = nextval(pg_get_serial_sequence('code_graphs', 'id')) where repo = ${repo}
    returning building_id as id`.execute(tx)
  return rows[0]!.id
}
