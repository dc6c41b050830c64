// Deletes rows of graphs that were deleted, replaced by a newer version, or never published.
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'

// A file takes its symbols and edges with it, so that a batch of files deletes many more rows.
const fileBatchSize = 500
const fileIndexBatchSize = 2000

/** Deletes the rows of unreferenced graphs in batches. */
export async function deleteUnusedGraphs(db: Db, signal: AbortSignal): Promise<void> {
  // Lists the distinct graph ids by index lookups: few graphs share many rows, see
  // https://wiki.postgresql.org/wiki/Loose_indexscan
  const { rows } = await sql<{ id: number }>`
    with recursive seen (id) as (
      (select graph_id from code_files order by graph_id limit 1)
      union all
      select (
        select graph_id from code_files f where f.graph_id > seen.id order by graph_id limit 1)
      from seen where seen.id is not null
    ), read (id) as (
      (select graph_id from code_facts order by graph_id limit 1)
      union all
      select (
        select graph_id from code_facts f where f.graph_id > read.id order by graph_id limit 1)
      from read where read.id is not null
    )
    select id from (select id from seen union select id from read) as known
    where id is not null
      and not exists (
        select from code_graphs g
        where known.id in (g.id, g.facts_id, g.building_id))`.execute(db)
  for (const { id } of rows) await deleteGraphRows(db, id, signal)
}

/** Needs no lock: no writer opens an unreferenced graph id again. */
async function deleteGraphRows(db: Db, graphId: number, signal: AbortSignal): Promise<void> {
  let hasMore = true
  while (hasMore) {
    signal.throwIfAborted()
    const { rows } = await sql<{ id: number }>`
      with chosen as (select id from code_files where graph_id = ${graphId} limit ${fileBatchSize}),
        edges as (delete from code_edges where source_id in (select id from chosen)),
        symbols as (delete from code_symbols where file_id in (select id from chosen))
      delete from code_files where id in (select id from chosen) returning id`.execute(db)
    hasMore = rows.length > 0
  }
  hasMore = true
  while (hasMore) {
    signal.throwIfAborted()
    const { rows } = await sql`
      delete from code_facts where (graph_id, oid, grammar) in (
        select graph_id, oid, grammar from code_facts
        where graph_id = ${graphId} limit ${fileIndexBatchSize})
      returning 1 as one`.execute(db)
    hasMore = rows.length > 0
  }
}
