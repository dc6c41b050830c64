// What blobs say, kept by their ids: written ahead of the files that show them, and never read twice.
import { sql } from 'kysely'
import { codeIndexVersion } from '../../code/code-index.ts'
import type { Db } from '../../db/database.ts'
import { type WritableGraph, writeFenced } from './write-graph.ts'

/** What was read of a blob. */
export interface StoredFileIndex {
  readonly oid: string
  /** What it was parsed with; empty for nothing. */
  readonly grammar: string
  /** By its content, see code/classify-file.ts. */
  readonly kind: string
  /** Null for what isn't text. */
  readonly lines: number | null
  /** Why it has no facts though it has a grammar. */
  readonly unparsed: string | null
  /** As `encodeFileIndex` makes them. */
  readonly facts: Buffer | null
}

/** Rows of one statement. */
const deleteBatchSize = 2000

/** Writes down what was read. */
export async function saveFileIndexes(
  db: Db,
  graph: WritableGraph,
  read: readonly StoredFileIndex[],
): Promise<void> {
  if (read.length === 0) return
  const column = <Value>(pick: (one: StoredFileIndex) => Value) => read.map(pick)
  await writeFenced(db, graph, async (tx) => {
    await sql`
      insert into code_facts (graph_id, version, oid, grammar, kind, lines, unparsed, facts)
      select ${graph.factsId}, ${codeIndexVersion}, r.*
      from unnest(
        ${column(({ oid }) => oid)}::text[], ${column(({ grammar }) => grammar)}::text[],
        ${column(({ kind }) => kind)}::text[], ${column(({ lines }) => lines)}::integer[],
        ${column(({ unparsed }) => unparsed)}::text[], ${column(({ facts }) => facts)}::bytea[]) as r
      on conflict (graph_id, oid, grammar) do update set version = excluded.version, kind = excluded.kind,
        lines = excluded.lines, unparsed = excluded.unparsed, facts = excluded.facts`.execute(tx)
  })
}

/** What this version of the program read of these blobs. */
export async function loadFileIndexes(
  db: Db,
  { factsId }: Pick<WritableGraph, 'factsId'>,
  oids: readonly string[],
): Promise<StoredFileIndex[]> {
  const { rows } = await sql<StoredFileIndex>`
    select oid, grammar, kind, lines, unparsed, facts from code_facts
    where graph_id = ${factsId} and oid = any(${oids}::text[]) and version = ${codeIndexVersion}`.execute(
    db,
  )
  return rows
}

/** What names the facts of a file. */
export interface FileIndexKey {
  readonly oid: string
  readonly grammar: string
}

/** Forgets what was read of blobs that no file of the graph has any more. `files` are all of its files. */
export async function deleteUnusedFileIndexes(
  db: Db,
  graph: WritableGraph,
  files: Iterable<FileIndexKey>,
): Promise<void> {
  const used = new Set<string>()
  for (const { oid, grammar } of files) used.add(`${oid} ${grammar}`)
  // Compared here: of a new graph the planner knows so little that it may compare each row with each.
  const { rows } = await sql<FileIndexKey>`
    select oid, grammar from code_facts where graph_id = ${graph.factsId}`.execute(db)
  const unused = rows.filter(({ oid, grammar }) => !used.has(`${oid} ${grammar}`))
  for (let start = 0; start < unused.length; start += deleteBatchSize) {
    await writeFenced(db, graph, (tx) =>
      deleteFileIndexes(tx, graph, unused.slice(start, start + deleteBatchSize)),
    )
  }
}

/** The same where few files changed: of what they were, what no other file is. */
export async function deleteOutdatedFileIndexes(
  db: Db,
  graph: WritableGraph,
  former: readonly FileIndexKey[],
): Promise<void> {
  const { rows } = await sql<FileIndexKey>`
    select oid, grammar from code_files
    where graph_id = ${graph.id} and oid = any(${former.map(({ oid }) => oid)}::text[])`.execute(db)
  const used = new Set(rows.map(({ oid, grammar }) => `${oid} ${grammar}`))
  const unused = former.filter(({ oid, grammar }) => !used.has(`${oid} ${grammar}`))
  if (unused.length > 0) await writeFenced(db, graph, (tx) => deleteFileIndexes(tx, graph, unused))
}

async function deleteFileIndexes(
  tx: Db,
  graph: WritableGraph,
  gone: readonly FileIndexKey[],
): Promise<void> {
  await sql`
    delete from code_facts c
    using unnest(${gone.map(({ oid }) => oid)}::text[], ${gone.map(({ grammar }) => grammar)}::text[])
      as gone (oid, grammar)
    where c.graph_id = ${graph.factsId} and c.oid = gone.oid and c.grammar = gone.grammar`.execute(
    tx,
  )
}
