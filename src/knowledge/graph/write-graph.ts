// Writes a code graph: what differs from what is stored, so that readers see the old graph or the new one.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { LeaseLostError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { factsVersion } from '../../workspace/code-facts.ts'
import type { EdgeRow, FileRow, SymbolRow } from './graph-rows.ts'

/** A graph that one scan may write to. */
export interface OpenGraph {
  readonly id: number
  readonly fence: number
  /** The commit that it shows; null while nobody reads it: before it was built, or when an older version of the program was it. */
  readonly commit: string | null
  readonly resolution: object
  readonly statistics: object
}

/** What is to be changed. */
export interface GraphDifference {
  /** Ids of files that are gone. */
  readonly removed: readonly number[]
  readonly files: readonly ChangedFile[]
  /** Edges that are gone, with files that stay at both ends. */
  readonly edgesGone: readonly { readonly sourceId: number; readonly targetId: number; readonly kind: string }[]
  /** Edges that are new or other than before. */
  readonly edges: readonly EdgeRow[]
}

/** A file that is new or other than before. */
export interface ChangedFile {
  /** Null for a new one. */
  readonly id: number | null
  readonly row: FileRow
  /** Null where they are as before. */
  readonly symbols: readonly SymbolRow[] | null
}

/** What a graph says of itself. */
export interface GraphState {
  readonly commit: string
  readonly resolution: object
  readonly statistics: object
}

/** Rows of one statement: it takes the embedded database well under 100 ms. */
const filesAtOnce = 1000
const symbolsAtOnce = 3000
const edgesAtOnce = 3000

/**
 * Opens the graph of a repository for a scan, and makes it where there is none: from now on no earlier scan can write to it.
 *
 * @param fence of the scan's claim
 * @throws LeaseLostError where a later one has opened it
 */
export async function openGraph(db: Db, repo: RepositoryName, fence: number): Promise<OpenGraph> {
  const { rows } = await sql<{ id: number; commit: string | null; resolution: object; statistics: object }>`
    insert into code_graphs (repo, fence) values (${repo}, ${fence})
    on conflict (repo) do update set fence = excluded.fence where code_graphs.fence <= excluded.fence
    returning id, resolution, statistics,
      case when facts_version = ${factsVersion} then commit_sha end as commit`.execute(db)
  const row = rows[0]
  if (row === undefined) throw new LeaseLostError()
  return { ...row, fence }
}

/** Runs work in a transaction that nobody else can write to the graph in. Throws LeaseLostError where it isn't ours any more. */
export async function writeGuarded<Result>(
  db: Db,
  graph: OpenGraph,
  work: (tx: Db) => Promise<Result>,
): Promise<Result> {
  return transactionWithRetry(db, async (tx) => {
    const held = await tx
      .selectFrom('code_graphs')
      .select('id')
      .where('id', '=', graph.id)
      .where('fence', '=', graph.fence)
      .forUpdate()
      .executeTakeFirst()
    if (held === undefined) throw new LeaseLostError()
    return work(tx)
  })
}

/** Takes everything but the facts out of a graph that nobody reads: what a scan left that was broken off. */
export async function clearGraph(db: Db, graph: OpenGraph): Promise<void> {
  for (let more = true; more; ) {
    more = await writeGuarded(db, graph, async (tx) => {
      const some = await tx
        .selectFrom('code_files')
        .select('id')
        .where('graph_id', '=', graph.id)
        .limit(filesAtOnce)
        .execute()
      if (some.length === 0) return false
      await removeFiles(
        tx,
        some.map(({ id }) => id),
      )
      return true
    })
  }
}

/**
 * Applies a difference, and with it says what the graph shows now. A graph that shows something already changes all at once;
 * one that is built for the first time in pieces: nobody reads it yet, and others want the database meanwhile.
 *
 * @param ids of the files that stay, by path
 * @param along what is to change in the same moment
 */
export async function writeGraph(
  db: Db,
  graph: OpenGraph,
  {
    difference,
    ids,
    state,
    along,
  }: {
    difference: GraphDifference
    ids: ReadonlyMap<string, number>
    state: GraphState
    along: (tx: Db) => Promise<void>
  },
): Promise<void> {
  const known = new Map(ids)
  const pieces = [...listPieces(graph, difference, known)]
  const conclude = async (tx: Db) => {
    await along(tx)
    await noteState(tx, graph, state)
  }
  if (graph.commit === null) {
    for (const piece of pieces) await writeGuarded(db, graph, piece)
    return writeGuarded(db, graph, conclude)
  }
  await writeGuarded(db, graph, async (tx) => {
    for (const piece of pieces) await piece(tx)
    await conclude(tx)
  })
}

type Piece = (tx: Db) => Promise<void>

function* listPieces(
  graph: OpenGraph,
  { removed, files, edgesGone, edges }: GraphDifference,
  ids: Map<string, number>,
): Generator<Piece> {
  for (const some of chunk(removed, filesAtOnce)) yield (tx) => removeFiles(tx, some)
  const added = files.filter(({ id }) => id === null)
  const changed = files.filter(({ id }) => id !== null)
  for (const some of chunk(added, filesAtOnce)) {
    yield async (tx) => {
      for (const { id, path } of await insertFiles(tx, graph, some)) ids.set(path, id)
    }
  }
  for (const some of chunk(changed, filesAtOnce)) yield (tx) => updateFiles(tx, some)
  const outdated = changed.filter(({ symbols }) => symbols !== null).map(({ id }) => id as number)
  for (const some of chunk(outdated, filesAtOnce)) yield (tx) => removeSymbols(tx, some)
  const symbols = files.flatMap(({ row, symbols }) => (symbols ?? []).map((symbol) => ({ path: row.path, symbol })))
  for (const some of chunk(symbols, symbolsAtOnce)) yield (tx) => insertSymbols(tx, graph, some, ids)
  for (const some of chunk(edgesGone, edgesAtOnce)) yield (tx) => removeEdges(tx, some)
  for (const some of chunk(edges, edgesAtOnce)) yield (tx) => upsertEdges(tx, graph, some, ids)
}

function* chunk<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

async function removeFiles(tx: Db, ids: readonly number[]): Promise<void> {
  await sql`
    delete from code_edges where source_id = any(${ids}::bigint[]) or target_id = any(${ids}::bigint[])`.execute(tx)
  await removeSymbols(tx, ids)
  await sql`delete from code_files where id = any(${ids}::bigint[])`.execute(tx)
}

async function removeSymbols(tx: Db, ids: readonly number[]): Promise<void> {
  await sql`delete from code_symbols where file_id = any(${ids}::bigint[])`.execute(tx)
}

/** The files' columns, as arrays of one length. */
function columnsOf(files: readonly ChangedFile[]) {
  const column = <Value>(read: (row: FileRow) => Value) => files.map(({ row }) => read(row))
  return sql`unnest(
    ${files.map(({ id }) => id)}::bigint[], ${column(({ path }) => path)}::text[], ${column(({ oid }) => oid)}::text[],
    ${column(({ grammar }) => grammar)}::text[], ${column(({ language }) => language)}::text[],
    ${column(({ kind }) => kind)}::text[], ${column(({ isTest }) => isTest)}::boolean[],
    ${column(({ size }) => size)}::bigint[], ${column(({ lines }) => lines)}::integer[],
    ${column(({ complexity }) => complexity)}::integer[], ${column(({ unparsed }) => unparsed)}::text[],
    ${column(({ namespace }) => namespace)}::text[], ${column(({ usedNames }) => usedNames)}::bytea[])
    as f (id, path, oid, grammar, language, kind, is_test, size, lines, complexity, unparsed, namespace, used_names)`
}

async function insertFiles(
  tx: Db,
  graph: OpenGraph,
  files: readonly ChangedFile[],
): Promise<{ id: number; path: string }[]> {
  const { rows } = await sql<{ id: number; path: string }>`
    insert into code_files (graph_id, path, oid, grammar, language, kind, is_test, size, lines, complexity, unparsed,
      namespace, used_names)
    select ${graph.id}, path, oid, grammar, language, kind, is_test, size, lines, complexity, unparsed, namespace,
      used_names
    from ${columnsOf(files)}
    returning id, path`.execute(tx)
  return rows
}

async function updateFiles(tx: Db, files: readonly ChangedFile[]): Promise<void> {
  await sql`
    update code_files set oid = f.oid, grammar = f.grammar, language = f.language, kind = f.kind, is_test = f.is_test,
      size = f.size, lines = f.lines, complexity = f.complexity, unparsed = f.unparsed, namespace = f.namespace,
      used_names = f.used_names
    from ${columnsOf(files)}
    where code_files.id = f.id`.execute(tx)
}

async function insertSymbols(
  tx: Db,
  graph: OpenGraph,
  symbols: readonly { path: string; symbol: SymbolRow }[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  const column = <Value>(read: (symbol: SymbolRow) => Value) => symbols.map(({ symbol }) => read(symbol))
  await sql`
    insert into code_symbols (graph_id, file_id, ordinal, name, kind, container, start_line, end_line, exported)
    select ${graph.id}, s.*
    from unnest(
      ${symbols.map(({ path }) => ids.get(path))}::bigint[], ${column(({ ordinal }) => ordinal)}::integer[],
      ${column(({ name }) => name)}::text[], ${column(({ kind }) => kind)}::text[],
      ${column(({ container }) => container)}::text[], ${column(({ startLine }) => startLine)}::integer[],
      ${column(({ endLine }) => endLine)}::integer[], ${column(({ exported }) => exported)}::boolean[]) as s`.execute(
    tx,
  )
}

async function removeEdges(tx: Db, edges: GraphDifference['edgesGone']): Promise<void> {
  await sql`
    delete from code_edges e
    using unnest(${edges.map(({ sourceId }) => sourceId)}::bigint[], ${edges.map(({ targetId }) => targetId)}::bigint[],
      ${edges.map(({ kind }) => kind)}::text[]) as gone (source_id, target_id, kind)
    where (e.source_id, e.target_id, e.kind) = (gone.source_id, gone.target_id, gone.kind)`.execute(tx)
}

async function upsertEdges(
  tx: Db,
  graph: OpenGraph,
  edges: readonly EdgeRow[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  await sql`
    insert into code_edges (graph_id, source_id, target_id, kind, confidence, sites)
    select ${graph.id}, e.*
    from unnest(
      ${edges.map(({ source }) => ids.get(source))}::bigint[], ${edges.map(({ target }) => ids.get(target))}::bigint[],
      ${edges.map(({ kind }) => kind)}::text[], ${edges.map(({ confidence }) => confidence)}::real[],
      ${edges.map(({ sites }) => sites)}::integer[]) as e
    on conflict (source_id, target_id, kind) do update set confidence = excluded.confidence, sites = excluded.sites`.execute(
    tx,
  )
}

async function noteState(tx: Db, graph: OpenGraph, { commit, resolution, statistics }: GraphState): Promise<void> {
  await tx
    .updateTable('code_graphs')
    .set({
      commit_sha: commit,
      facts_version: factsVersion,
      resolution: JSON.stringify(resolution),
      statistics: JSON.stringify(statistics),
      built_at: sql`now()`,
    })
    .where('id', '=', graph.id)
    .execute()
}
