// Opens a graph for the one scan that may write to it, and types that the steps of its sync share.
import { sql } from 'kysely'
import type { FileIndexer } from '../../../code/syntax-parser.ts'
import type { Db } from '../../../db/database.ts'
import { transactionWithRetry } from '../../../db/transaction.ts'
import { LeaseLostError } from '../../../domain/errors.ts'
import type { RepositoryName } from '../../../domain/pull-request.ts'
import type { Snapshot } from '../../../domain/snapshot.ts'
import type { BareRepository } from '../../../git/list-tree.ts'
import type { ObjectReader } from '../../../git/object-reader.ts'
import { codeIndexVersion } from '../../../languages/code-index.ts'
import type { ImportConfig } from '../../../languages/common/import-config.ts'
import type { FileRename } from '../../file-activity/move-file-activity.ts'

export interface SyncRequest {
  readonly db: Db
  readonly graph: WritableGraph
  /** Contains the commit and, if the host still has it, the one of the stored graph. */
  readonly repository: BareRepository & {
    /** Reads single objects through a running git. */
    readonly objects: ObjectReader
  }
  /** The files at the commit that the graph is brought to. */
  readonly snapshot: Snapshot
  readonly indexer: FileIndexer
  readonly progress: SyncProgress
  readonly signal: AbortSignal
  /** Moves what else is stored about renamed files, in the transaction that changes the graph. */
  onRenames(tx: Db, renames: readonly FileRename[]): Promise<void>
}

export interface SyncProgress {
  /** Ends a step and saves its duration under this name. */
  lap(name: string): void
  /** Reports the current step. It is saved in the background. */
  report(step: string, done: number, total: number): void
}

/** A graph that is at the commit of the request. */
export interface SyncedGraph {
  readonly id: number
  readonly statistics: object
  /**
   * The commit that the graph was at before, if only contents of indexed code differ from it. Null
   * after larger changes: manifests and documents are among them, which describe the project.
   */
  readonly smallChangeSince: string | null
}

export interface GraphSync extends SyncRequest {
  /** The renames since the commit of the stored graph. */
  readonly renames: readonly FileRename[]
}

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
  readonly resolution: ImportConfig
  readonly statistics: object
}

/**
 * Opens or creates the graph of a repository for a scan. Earlier scans can no longer write to it.
 *
 * @throws LeaseLostError if a later scan has opened it
 */
export async function openGraph(
  db: Db,
  { repo, fence }: Pick<WritableGraph, 'repo' | 'fence'>,
): Promise<WritableGraph> {
  const { rows } = await sql<Omit<WritableGraph, 'repo' | 'fence'>>`
    insert into code_graphs (repo, fence) values (${repo}, ${fence})
    on conflict (repo) do update
    set fence = excluded.fence where code_graphs.fence <= excluded.fence
    returning id, facts_id as index_id, resolution, statistics,
      case when facts_version = ${codeIndexVersion} then commit_sha end as commit`.execute(db)
  const row = rows[0]
  if (row === undefined) throw new LeaseLostError()
  return { ...row, repo, fence }
}

/**
 * Runs work in a transaction that locks the graph against other writers.
 *
 * @throws LeaseLostError if a later scan has opened the graph
 */
export async function writeFenced<Result>(
  db: Db,
  { repo, indexId, fence }: WritableGraph,
  work: (tx: Db) => Promise<Result>,
): Promise<Result> {
  return transactionWithRetry(db, async (tx) => {
    const lockedGraph = await tx
      .selectFrom('codeGraphs')
      .select('id')
      .where('repo', '=', repo)
      // The index id differs if the graph was deleted and created again in the meantime.
      .where('factsId', '=', indexId)
      .where('fence', '=', fence)
      .forUpdate()
      .executeTakeFirst()
    if (lockedGraph === undefined) throw new LeaseLostError()
    return work(tx)
  })
}
