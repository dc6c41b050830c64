// Takes away what no graph shows any more: of forgotten ones, of former versions, of those that were never shown.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'

/** Rows of one statement: files with their symbols and edges are many more. */
const fileBatchSize = 500
const fileIndexBatchSize = 2000

/** Takes away rows of nobody's, some at a time. */
export async function deleteUnusedGraphs(db: Db, signal: AbortSignal): Promise<void> {
  // Few graphs have many rows: looked up by their ids, of which indexes tell the next one at once.
  const { rows } = await sql<{ id: number }>`
    with recursive seen (id) as (
      (select graph_id from code_files order by graph_id limit 1)
      union all
      select (select graph_id from code_files f where f.graph_id > seen.id order by graph_id limit 1)
      from seen where seen.id is not null
    ), read (id) as (
      (select graph_id from code_facts order by graph_id limit 1)
      union all
      select (select graph_id from code_facts f where f.graph_id > read.id order by graph_id limit 1)
      from read where read.id is not null
    )
    select id from (select id from seen union select id from read) as known
    where id is not null
      and not exists (select from code_graphs g where known.id in (g.id, g.facts_id, g.building_id))`.execute(
    db,
  )
  for (const { id } of rows) await deleteGraphRows(db, id, signal)
}

/** What is forgotten is never taken up again: nobody can write to it meanwhile. */
async function deleteGraphRows(db: Db, graphId: number, signal: AbortSignal): Promise<void> {
  for (let more = true; more; ) {
    signal.throwIfAborted()
    const { rows } = await sql<{ id: number }>`
      with chosen as (select id from code_files where graph_id = ${graphId} limit ${fileBatchSize}),
        edges as (delete from code_edges where source_id in (select id from chosen)),
        symbols as (delete from code_symbols where file_id in (select id from chosen))
      delete from code_files where id in (select id from chosen) returning id`.execute(db)
    more = rows.length > 0
  }
  for (let more = true; more; ) {
    signal.throwIfAborted()
    const { rows } = await sql`
      delete from code_facts where (graph_id, oid, grammar) in (
        select graph_id, oid, grammar from code_facts where graph_id = ${graphId} limit ${fileIndexBatchSize})
      returning 1 as one`.execute(db)
    more = rows.length > 0
  }
}
