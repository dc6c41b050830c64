// Writes batches of a code graph's rows in the transaction of the caller.
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { CodeEdge } from '../../resolution/list-edges.ts'
import type { FileRow, SymbolRow } from './graph-rows.ts'

export interface FileToWrite {
  /** Is null for a new file. */
  readonly id: number | null
  readonly row: FileRow
}

export interface EdgeKey {
  readonly sourceId: number
  readonly targetId: number
  readonly kind: string
}

/** Rows per statement: a batch takes the embedded database well under 100 ms. */
export const batchSizes = { files: 1000, symbols: 3000, edges: 3000 } as const

export function* chunk<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

/** Deletes files with their symbols and edges. */
export async function deleteFiles(tx: Db, ids: readonly number[]): Promise<void> {
  await sql`
    delete from code_edges
    where source_id = any(${ids}::bigint[]) or target_id = any(${ids}::bigint[])`.execute(tx)
  await deleteSymbols(tx, ids)
  await sql`delete from code_files where id = any(${ids}::bigint[])`.execute(tx)
}

export async function deleteSymbols(tx: Db, fileIds: readonly number[]): Promise<void> {
  await sql`delete from code_symbols where file_id = any(${fileIds}::bigint[])`.execute(tx)
}

/** Makes an SQL table expression named `f` with a row for each file. */
function unnestFiles(files: readonly FileToWrite[]) {
  const column = <Value>(pick: (row: FileRow) => Value) => files.map(({ row }) => pick(row))
  return sql`unnest(
    ${files.map(({ id }) => id)}::bigint[],
    ${column(({ path }) => path)}::text[],
    ${column(({ oid }) => oid)}::text[],
    ${column(({ grammar }) => grammar)}::text[],
    ${column(({ language }) => language)}::text[],
    ${column(({ kind }) => kind)}::text[],
    ${column(({ isTest }) => isTest)}::boolean[],
    ${column(({ size }) => size)}::bigint[],
    ${column(({ lines }) => lines)}::integer[],
    ${column(({ complexity }) => complexity)}::integer[],
    ${column(({ unparsed }) => unparsed)}::text[],
    ${column(({ namespace }) => namespace)}::text[],
    ${column(({ usedNames }) => usedNames)}::bytea[])
    as f (id, path, oid, grammar, language, kind, is_test, size, lines, complexity, unparsed,
      namespace, used_names)`
}

/** Returns the ids of the new rows with their paths. */
export async function insertFiles(
  tx: Db,
  graphId: number,
  files: readonly FileToWrite[],
): Promise<{ id: number; path: string }[]> {
  const { rows } = await sql<{ id: number; path: string }>`
    insert into code_files (graph_id, path, oid, grammar, language, kind, is_test, size, lines,
      complexity, unparsed, namespace, used_names)
    select ${graphId}, path, oid, grammar, language, kind, is_test, size, lines,
      complexity, unparsed, namespace, used_names
    from ${unnestFiles(files)}
    returning id, path`.execute(tx)
  return rows
}

export async function updateFiles(tx: Db, files: readonly FileToWrite[]): Promise<void> {
  await sql`
    update code_files
    set oid = f.oid, grammar = f.grammar, language = f.language, kind = f.kind,
      is_test = f.is_test, size = f.size, lines = f.lines, complexity = f.complexity,
      unparsed = f.unparsed, namespace = f.namespace, used_names = f.used_names
    from ${unnestFiles(files)}
    where code_files.id = f.id`.execute(tx)
}

/** @param ids maps the paths of files to their ids */
export async function insertSymbols(
  tx: Db,
  graphId: number,
  symbols: readonly { path: string; symbol: SymbolRow }[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  const column = <Value>(pick: (symbol: SymbolRow) => Value) =>
    symbols.map(({ symbol }) => pick(symbol))
  await sql`
    insert into code_symbols (graph_id, file_id, ordinal, name, kind, container,
      start_line, end_line, exported)
    select ${graphId}, s.*
    from unnest(
      ${symbols.map(({ path }) => ids.get(path))}::bigint[],
      ${column(({ ordinal }) => ordinal)}::integer[],
      ${column(({ name }) => name)}::text[],
      ${column(({ kind }) => kind)}::text[],
      ${column(({ container }) => container)}::text[],
      ${column(({ startLine }) => startLine)}::integer[],
      ${column(({ endLine }) => endLine)}::integer[],
      ${column(({ exported }) => exported)}::boolean[]) as s`.execute(tx)
}

export async function deleteEdges(tx: Db, edges: readonly EdgeKey[]): Promise<void> {
  await sql`
    delete from code_edges e
    using unnest(
      ${edges.map(({ sourceId }) => sourceId)}::bigint[],
      ${edges.map(({ targetId }) => targetId)}::bigint[],
      ${edges.map(({ kind }) => kind)}::text[]) as gone (source_id, target_id, kind)
    where (e.source_id, e.target_id, e.kind) = (gone.source_id, gone.target_id, gone.kind)`.execute(
    tx,
  )
}

/** Inserts edges of which none is stored yet. */
export async function insertEdges(
  tx: Db,
  graphId: number,
  edges: readonly CodeEdge[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  await buildEdgeInsert(graphId, edges, ids).execute(tx)
}

export async function upsertEdges(
  tx: Db,
  graphId: number,
  edges: readonly CodeEdge[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  await sql`
    ${buildEdgeInsert(graphId, edges, ids)}
    on conflict (source_id, target_id, kind) do update
    set confidence = excluded.confidence, sites = excluded.sites`.execute(tx)
}

function buildEdgeInsert(
  graphId: number,
  edges: readonly CodeEdge[],
  ids: ReadonlyMap<string, number>,
) {
  return sql`
    insert into code_edges (graph_id, source_id, target_id, kind, confidence, sites)
    select ${graphId}, e.*
    from unnest(
      ${edges.map(({ source }) => ids.get(source))}::bigint[],
      ${edges.map(({ target }) => ids.get(target))}::bigint[],
      ${edges.map(({ kind }) => kind)}::text[],
      ${edges.map(({ confidence }) => confidence)}::real[],
      ${edges.map(({ sites }) => sites)}::integer[]) as e`
}
