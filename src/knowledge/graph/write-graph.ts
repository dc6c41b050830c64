// Writes a code graph: what differs from what is stored, in one step, so that readers see the old graph or the new one.
import { sql } from 'kysely'
import { codeIndexVersion } from '../../code/code-index.ts'
import type { Db } from '../../db/database.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { LeaseLostError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import type { CodeEdge } from '../resolution/list-edges.ts'
import type { SymbolRow } from './graph-rows.ts'
import {
  batchSizes,
  chunk,
  deleteEdges,
  deleteFiles,
  deleteSymbols,
  type EdgeKey,
  type FileToWrite,
  insertFiles,
  insertSymbols,
  updateFiles,
  upsertEdges,
} from './write-rows.ts'

/** A graph that one scan may write to. */
export interface WritableGraph {
  /** Of its files, symbols and edges; another one each time that it is written anew. */
  readonly id: number
  /** Of what was read of blobs. */
  readonly factsId: number
  readonly repo: RepositoryName
  readonly fence: number
  /** The commit that it shows; null while nobody reads it: before it was built, or when an older version of the program was it. */
  readonly commit: string | null
  readonly resolution: object
  readonly statistics: object
}

/** What is to be changed. */
export interface GraphDifference {
  /** Ids of files that are gone. */
  readonly removedFileIds: readonly number[]
  readonly files: readonly FileUpdate[]
  /** Edges that are gone, with files that stay at both ends. */
  readonly removedEdges: readonly EdgeKey[]
  /** Edges that are new or other than before. */
  readonly edges: readonly CodeEdge[]
}

/** A file that is new or other than before. */
export interface FileUpdate extends FileToWrite {
  /** Null where they are as before. */
  readonly symbols: readonly SymbolRow[] | null
}

/** What a graph says of itself. */
export interface GraphState {
  readonly commit: string
  readonly resolution: object
  readonly statistics: object
}

/**
 * Opens the graph of a repository for a scan, and makes it where there is none: from now on no earlier scan can write to it.
 *
 * @param fence of the scan's claim
 * @throws LeaseLostError where a later one has opened it
 */
export async function openGraph(
  db: Db,
  repo: RepositoryName,
  fence: number,
): Promise<WritableGraph> {
  const { rows } = await sql<Omit<WritableGraph, 'repo' | 'fence'>>`
    insert into code_graphs (repo, fence) values (${repo}, ${fence})
    on conflict (repo) do update set fence = excluded.fence where code_graphs.fence <= excluded.fence
    returning id, facts_id as "factsId", resolution, statistics,
      case when facts_version = ${codeIndexVersion} then commit_sha end as commit`.execute(db)
  const row = rows[0]
  if (row === undefined) throw new LeaseLostError()
  return { ...row, repo, fence }
}

type GraphClaim = Pick<WritableGraph, 'repo' | 'factsId' | 'fence'>

/** Runs work in a transaction that nobody else can write to the graph in. Throws LeaseLostError where it isn't ours any more. */
export async function writeFenced<Result>(
  db: Db,
  { repo, factsId, fence }: GraphClaim,
  work: (tx: Db) => Promise<Result>,
): Promise<Result> {
  return transactionWithRetry(db, async (tx) => {
    const held = await tx
      .selectFrom('code_graphs')
      .select('id')
      .where('repo', '=', repo)
      // One that was forgotten meanwhile, and begun again, is another one.
      .where('facts_id', '=', factsId)
      .where('fence', '=', fence)
      .forUpdate()
      .executeTakeFirst()
    if (held === undefined) throw new LeaseLostError()
    return work(tx)
  })
}

/** Of rows that one transaction writes, so that it takes the embedded database, which answers nobody else meanwhile, a fraction of a second. */
const maxRows = 8_000

/** Whether a difference can be written in one step; else the graph is to be written anew, see `openGraphVersion`. */
export function fitsOneTransaction({
  removedFileIds: removed,
  files,
  removedEdges: edgesGone,
  edges,
}: GraphDifference): boolean {
  const symbols = files.reduce((sum, file) => sum + (file.symbols?.length ?? 0), 0)
  return removed.length * 20 + files.length + symbols + edgesGone.length + edges.length <= maxRows
}

/**
 * Applies a difference, and with it says what the graph shows now, all at once.
 *
 * @param ids of the files that stay, by path
 * @param along what is to change in the same moment
 */
export async function writeGraph(
  db: Db,
  graph: WritableGraph,
  change: {
    difference: GraphDifference
    ids: ReadonlyMap<string, number>
    state: GraphState
    along: (tx: Db) => Promise<void>
  },
): Promise<void> {
  await writeFenced(db, graph, async (tx) => {
    await writeDifference(tx, graph, change.difference, new Map(change.ids))
    await change.along(tx)
    await saveGraphState(tx, graph, change.state)
  })
}

async function writeDifference(
  tx: Db,
  graph: WritableGraph,
  { removedFileIds: removed, files, removedEdges: edgesGone, edges }: GraphDifference,
  ids: Map<string, number>,
): Promise<void> {
  const added = files.filter(({ id }) => id === null)
  const changed = files.filter(({ id }) => id !== null)
  const outdated = changed.filter(({ symbols }) => symbols !== null).map(({ id }) => id as number)
  const symbols = files.flatMap(({ row, symbols }) =>
    (symbols ?? []).map((symbol) => ({ path: row.path, symbol })),
  )
  for (const some of chunk(removed, batchSizes.files)) await deleteFiles(tx, some)
  for (const some of chunk(added, batchSizes.files))
    for (const { id, path } of await insertFiles(tx, graph.id, some)) ids.set(path, id)
  for (const some of chunk(changed, batchSizes.files)) await updateFiles(tx, some)
  for (const some of chunk(outdated, batchSizes.files)) await deleteSymbols(tx, some)
  for (const some of chunk(symbols, batchSizes.symbols))
    await insertSymbols(tx, graph.id, some, ids)
  for (const some of chunk(edgesGone, batchSizes.edges)) await deleteEdges(tx, some)
  for (const some of chunk(edges, batchSizes.edges)) await upsertEdges(tx, graph.id, some, ids)
}

/** @param id under which it is shown from now on */
export async function saveGraphState(
  tx: Db,
  { repo, id }: Pick<WritableGraph, 'repo' | 'id'>,
  { commit, resolution, statistics }: GraphState,
): Promise<void> {
  await tx
    .updateTable('code_graphs')
    .set({
      id,
      building_id: null,
      commit_sha: commit,
      facts_version: codeIndexVersion,
      resolution: JSON.stringify(resolution),
      statistics: JSON.stringify(statistics),
      built_at: sql`now()`,
    })
    .where('repo', '=', repo)
    .execute()
}
