// What blobs say, kept by their ids: written ahead of the files that show them, and never read twice.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { factsVersion } from '../../workspace/code-facts.ts'
import { type OpenGraph, writeGuarded } from './write-graph.ts'

/** What was read of a blob. */
export interface StoredFacts {
  readonly oid: string
  /** What it was parsed with; empty for nothing. */
  readonly grammar: string
  /** By its content, see workspace/classify-file.ts. */
  readonly kind: string
  /** Null for what isn't text. */
  readonly lines: number | null
  /** Why it has no facts though it has a grammar. */
  readonly unparsed: string | null
  /** As `encodeFacts` makes them. */
  readonly facts: Buffer | null
}

/** Rows of one statement. */
const sweptAtOnce = 2000

/** Writes down what was read. */
export async function saveFacts(
  db: Db,
  graph: OpenGraph,
  read: readonly StoredFacts[],
): Promise<void> {
  if (read.length === 0) return
  const column = <Value>(pick: (one: StoredFacts) => Value) => read.map(pick)
  await writeGuarded(db, graph, async (tx) => {
    await sql`
      insert into code_facts (graph_id, version, oid, grammar, kind, lines, unparsed, facts)
      select ${graph.factsId}, ${factsVersion}, r.*
      from unnest(
        ${column(({ oid }) => oid)}::text[], ${column(({ grammar }) => grammar)}::text[],
        ${column(({ kind }) => kind)}::text[], ${column(({ lines }) => lines)}::integer[],
        ${column(({ unparsed }) => unparsed)}::text[], ${column(({ facts }) => facts)}::bytea[]) as r
      on conflict (graph_id, oid, grammar) do update set version = excluded.version, kind = excluded.kind,
        lines = excluded.lines, unparsed = excluded.unparsed, facts = excluded.facts`.execute(tx)
  })
}

/** What this version of the program read of these blobs. */
export async function loadFacts(
  db: Db,
  { factsId }: Pick<OpenGraph, 'factsId'>,
  oids: readonly string[],
): Promise<StoredFacts[]> {
  const { rows } = await sql<StoredFacts>`
    select oid, grammar, kind, lines, unparsed, facts from code_facts
    where graph_id = ${factsId} and oid = any(${oids}::text[]) and version = ${factsVersion}`.execute(
    db,
  )
  return rows
}

/** What names the facts of a file. */
export interface FactsKey {
  readonly oid: string
  readonly grammar: string
}

/** Forgets what was read of blobs that no file of the graph has any more. `files` are all of its files. */
export async function sweepFacts(
  db: Db,
  graph: OpenGraph,
  files: Iterable<FactsKey>,
): Promise<void> {
  const used = new Set<string>()
  for (const { oid, grammar } of files) used.add(`${oid} ${grammar}`)
  // Compared here: of a new graph the planner knows so little that it may compare each row with each.
  const { rows } = await sql<FactsKey>`
    select oid, grammar from code_facts where graph_id = ${graph.factsId}`.execute(db)
  const unused = rows.filter(({ oid, grammar }) => !used.has(`${oid} ${grammar}`))
  for (let start = 0; start < unused.length; start += sweptAtOnce) {
    await writeGuarded(db, graph, (tx) =>
      removeFacts(tx, graph, unused.slice(start, start + sweptAtOnce)),
    )
  }
}

/** The same where few files changed: of what they were, what no other file is. */
export async function sweepOutdatedFacts(
  db: Db,
  graph: OpenGraph,
  former: readonly FactsKey[],
): Promise<void> {
  const { rows } = await sql<FactsKey>`
    select oid, grammar from code_files
    where graph_id = ${graph.id} and oid = any(${former.map(({ oid }) => oid)}::text[])`.execute(db)
  const used = new Set(rows.map(({ oid, grammar }) => `${oid} ${grammar}`))
  const unused = former.filter(({ oid, grammar }) => !used.has(`${oid} ${grammar}`))
  if (unused.length > 0) await writeGuarded(db, graph, (tx) => removeFacts(tx, graph, unused))
}

async function removeFacts(tx: Db, graph: OpenGraph, gone: readonly FactsKey[]): Promise<void> {
  await sql`
    delete from code_facts c
    using unnest(${gone.map(({ oid }) => oid)}::text[], ${gone.map(({ grammar }) => grammar)}::text[])
      as gone (oid, grammar)
    where c.graph_id = ${graph.factsId} and c.oid = gone.oid and c.grammar = gone.grammar`.execute(
    tx,
  )
}
