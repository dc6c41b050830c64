// Stores the code index of each blob in `code_facts`, so that no blob is parsed twice.
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { Row } from '../../../db/schema.ts'
import { codeIndexVersion } from '../../../languages/code-index.ts'
import { type WritableGraph, writeFenced } from './open-graph.ts'

export type StoredFileIndex = Omit<Row<'codeFacts'>, 'graphId' | 'version'>

const deleteBatchSize = 2000

export async function saveFileIndexes(
  db: Db,
  graph: WritableGraph,
  rows: readonly StoredFileIndex[],
): Promise<void> {
  if (rows.length === 0) return
  const column = <Value>(pick: (row: StoredFileIndex) => Value) => rows.map(pick)
  await writeFenced(db, graph, async (tx) => {
    await sql`
      insert into code_facts (graph_id, version, oid, grammar, kind, lines, unparsed, facts)
      select ${graph.indexId}, ${codeIndexVersion}, r.*
      from unnest(
        ${column(({ oid }) => oid)}::text[],
        ${column(({ grammar }) => grammar)}::text[],
        ${column(({ kind }) => kind)}::text[],
        ${column(({ lines }) => lines)}::integer[],
        ${column(({ unparsed }) => unparsed)}::text[],
        ${column(({ facts }) => facts)}::bytea[]) as r
      on conflict (graph_id, oid, grammar) do update
      set version = excluded.version, kind = excluded.kind, lines = excluded.lines,
        unparsed = excluded.unparsed, facts = excluded.facts`.execute(tx)
  })
}

/** Loads the entries of these blobs that have the current code index version. */
export async function loadFileIndexes(
  db: Db,
  { indexId }: Pick<WritableGraph, 'indexId'>,
  oids: readonly string[],
): Promise<StoredFileIndex[]> {
  const { rows } = await sql<StoredFileIndex>`
    select oid, grammar, kind, lines, unparsed, facts from code_facts
    where graph_id = ${indexId} and oid = any(${oids}::text[])
      and version = ${codeIndexVersion}`.execute(db)
  return rows
}

type FileIndexKey = Pick<StoredFileIndex, 'oid' | 'grammar'>

function formatKey({ oid, grammar }: FileIndexKey): string {
  return `${oid} ${grammar}`
}

/**
 * Deletes the entries of blobs that no file of the graph has any more.
 *
 * @param files all files of the graph
 */
export async function deleteUnusedFileIndexes(
  db: Db,
  graph: WritableGraph,
  files: Iterable<FileIndexKey>,
): Promise<void> {
  const used = new Set<string>()
  for (const file of files) used.add(formatKey(file))
  // A join in SQL may become a nested loop: the planner has no statistics of a new graph yet.
  const { rows } = await sql<FileIndexKey>`
    select oid, grammar from code_facts where graph_id = ${graph.indexId}`.execute(db)
  const unused = rows.filter((key) => !used.has(formatKey(key)))
  for (let start = 0; start < unused.length; start += deleteBatchSize) {
    await writeFenced(db, graph, (tx) =>
      deleteFileIndexes(tx, graph, unused.slice(start, start + deleteBatchSize)),
    )
  }
}

/**
 * Deletes the entries of former versions of changed files, unless another file still has that blob.
 *
 * @param former the keys that the changed files had before
 */
export async function deleteOutdatedFileIndexes(
  db: Db,
  graph: WritableGraph,
  former: readonly FileIndexKey[],
): Promise<void> {
  const { rows } = await sql<FileIndexKey>`
    select oid, grammar from code_files
    where graph_id = ${graph.id} and oid = any(${former.map(({ oid }) => oid)}::text[])`.execute(db)
  const used = new Set(rows.map(formatKey))
  const unused = former.filter((key) => !used.has(formatKey(key)))
  if (unused.length > 0) await writeFenced(db, graph, (tx) => deleteFileIndexes(tx, graph, unused))
}

async function deleteFileIndexes(
  tx: Db,
  graph: WritableGraph,
  keys: readonly FileIndexKey[],
): Promise<void> {
  const oids = keys.map(({ oid }) => oid)
  const grammars = keys.map(({ grammar }) => grammar)
  await sql`
    delete from code_facts c
    using unnest(${oids}::text[], ${grammars}::text[]) as unused (oid, grammar)
    where c.graph_id = ${graph.indexId}
      and c.oid = unused.oid and c.grammar = unused.grammar`.execute(tx)
}
