// Writes changes of a code graph in one transaction: readers see the old graph or the new one.
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
  /** Identifies files, symbols and edges; each rebuild gets another id. */
  readonly id: number
  /** Identifies the code index entries of blobs. */
  readonly indexId: number
  readonly repo: RepositoryName
  readonly fence: number
  /** The published commit; null before the first build and for older code index versions. */
  readonly commit: string | null
  readonly resolution: object
  readonly statistics: object
}

/** The changes to write. */
export interface GraphDifference {
  readonly removedFileIds: readonly number[]
  readonly files: readonly FileUpdate[]
  /** Removed edges between files that stay. */
  readonly removedEdges: readonly EdgeKey[]
  /** New and changed edges. */
  readonly edges: readonly CodeEdge[]
}

/** A file that is new or that has changed. */
export interface FileUpdate extends FileToWrite {
  /** Null if they are unchanged. */
  readonly symbols: readonly SymbolRow[] | null
}

/** The metadata of a published graph. */
export interface GraphState {
  readonly commit: string
  readonly resolution: object
  readonly statistics: object
}

/**
 * Opens or creates the graph of a repository for a scan. Earlier scans can no longer write to it.
 *
 * @param fence the fence of the scan's lease
 * @throws LeaseLostError if a later scan has opened it
 */
export async function openGraph(
  db: Db,
  repo: RepositoryName,
  fence: number,
): Promise<WritableGraph> {
  const { rows } = await sql<Omit<WritableGraph, 'repo' | 'fence'>>`
    insert into code_graphs (repo, fence) values (${repo}, ${fence})
    on conflict (repo) do update
    set fence = excluded.fence where code_graphs.fence <= excluded.fence
    returning id, facts_id as "indexId", resolution, statistics,
      case when facts_version = ${codeIndexVersion} then commit_sha end as commit`.execute(db)
  const row = rows[0]
  if (row === undefined) throw new LeaseLostError()
  return { ...row, repo, fence }
}

type GraphLease = Pick<WritableGraph, 'repo' | 'indexId' | 'fence'>

/**
 * Runs work in a transaction that locks the graph against other writers.
 *
 * @throws LeaseLostError if a later scan has opened the graph
 */
export async function writeFenced<Result>(
  db: Db,
  { repo, indexId, fence }: GraphLease,
  work: (tx: Db) => Promise<Result>,
): Promise<Result> {
  return transactionWithRetry(db, async (tx) => {
    const lockedGraph = await tx
      .selectFrom('code_graphs')
      .select('id')
      .where('repo', '=', repo)
      // The index id differs if the graph was deleted and created again in the meantime.
      .where('facts_id', '=', indexId)
      .where('fence', '=', fence)
      .forUpdate()
      .executeTakeFirst()
    if (lockedGraph === undefined) throw new LeaseLostError()
    return work(tx)
  })
}

/**
 * The maximum number of rows of one transaction. The embedded database answers no other query
 * during a transaction, which must therefore end within a fraction of a second.
 */
const maxRows = 8_000
/** An estimate of the symbols and edges that are deleted with a file. */
const rowsPerRemovedFile = 20

/** A larger difference must be written as a new version, see `openGraphVersion`. */
export function fitsOneTransaction(difference: GraphDifference): boolean {
  const { removedFileIds, files, removedEdges, edges } = difference
  const symbolCount = files.reduce((sum, file) => sum + (file.symbols?.length ?? 0), 0)
  const rowCount =
    removedFileIds.length * rowsPerRemovedFile +
    files.length +
    symbolCount +
    removedEdges.length +
    edges.length
  return rowCount <= maxRows
}

/**
 * Applies a difference and publishes the new state in one transaction.
 *
 * @param change.ids the ids of unchanged files, by path
 * @param change.writeMore runs in the same transaction
 */
export async function writeGraph(
  db: Db,
  graph: WritableGraph,
  change: {
    difference: GraphDifference
    ids: ReadonlyMap<string, number>
    state: GraphState
    writeMore: (tx: Db) => Promise<void>
  },
): Promise<void> {
  await writeFenced(db, graph, async (tx) => {
    await writeDifference(tx, graph, change.difference, new Map(change.ids))
    await change.writeMore(tx)
    await saveGraphState(tx, graph, change.state)
  })
}

async function writeDifference(
  tx: Db,
  graph: WritableGraph,
  { removedFileIds, files, removedEdges, edges }: GraphDifference,
  ids: Map<string, number>,
): Promise<void> {
  const added = files.filter(({ id }) => id === null)
  const changed = files.filter(({ id }) => id !== null)
  const fileIdsWithOldSymbols = changed
    .filter(({ symbols }) => symbols !== null)
    .map(({ id }) => id as number)
  const symbols = files.flatMap(({ row, symbols }) =>
    (symbols ?? []).map((symbol) => ({ path: row.path, symbol })),
  )
  for (const batch of chunk(removedFileIds, batchSizes.files)) await deleteFiles(tx, batch)
  for (const batch of chunk(added, batchSizes.files))
    for (const { id, path } of await insertFiles(tx, graph.id, batch)) ids.set(path, id)
  for (const batch of chunk(changed, batchSizes.files)) await updateFiles(tx, batch)
  for (const batch of chunk(fileIdsWithOldSymbols, batchSizes.files)) await deleteSymbols(tx, batch)
  for (const batch of chunk(symbols, batchSizes.symbols))
    await insertSymbols(tx, graph.id, batch, ids)
  for (const batch of chunk(removedEdges, batchSizes.edges)) await deleteEdges(tx, batch)
  for (const batch of chunk(edges, batchSizes.edges)) await upsertEdges(tx, graph.id, batch, ids)
}

/** @param graph.id becomes the published id of the repository's graph */
export async function saveGraphState(
  tx: Db,
  graph: Pick<WritableGraph, 'repo' | 'id'>,
  { commit, resolution, statistics }: GraphState,
): Promise<void> {
  await tx
    .updateTable('code_graphs')
    .set({
      id: graph.id,
      building_id: null,
      commit_sha: commit,
      facts_version: codeIndexVersion,
      resolution: JSON.stringify(resolution),
      statistics: JSON.stringify(statistics),
      built_at: sql`now()`,
    })
    .where('repo', '=', graph.repo)
    .execute()
}
