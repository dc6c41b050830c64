// A stored code graph as a scan compares it with what it found: rows by path, edges by the files at their ends.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { CodeEdge } from '../resolution/list-edges.ts'
import type { FileRow } from './graph-rows.ts'
import type { GraphDifference } from './write-graph.ts'

/** A file as it is stored, without what hangs on its blob alone. */
export interface StoredFile extends Omit<FileRow, 'usedNames' | 'namespace'> {
  readonly id: number
}

/** An edge as it is stored. */
export interface StoredEdge {
  readonly sourceId: number
  readonly targetId: number
  readonly kind: CodeEdge['kind']
  readonly confidence: number
  readonly sites: number
}

/** Rows of one statement. */
const batchSize = 5000

/** The files of a graph, or of it those with these paths. */
export async function readStoredFiles(
  db: Db,
  graphId: number,
  paths?: readonly string[],
): Promise<Map<string, StoredFile>> {
  const files = new Map<string, StoredFile>()
  for (let after: number | undefined = 0; after !== undefined; ) {
    const some: readonly StoredFile[] = await readFilePage(db, graphId, after, paths)
    for (const file of some) files.set(file.path, file)
    after = some.length < batchSize ? undefined : some.at(-1)?.id
  }
  return files
}

async function readFilePage(
  db: Db,
  graphId: number,
  after: number,
  paths: readonly string[] | undefined,
) {
  const named = paths === undefined ? sql`` : sql`and path = any(${paths}::text[])`
  const { rows } = await sql<StoredFile>`
    select id, path, oid, grammar, language, kind, is_test as "isTest", size, lines, complexity, unparsed
    from code_files where graph_id = ${graphId} and id > ${after} ${named}
    order by id limit ${sql.lit(batchSize)}`.execute(db)
  return rows
}

/** The edges that lead from these files. */
export async function readStoredEdges(db: Db, sourceIds: readonly number[]): Promise<StoredEdge[]> {
  const edges: StoredEdge[] = []
  for (let start = 0; start < sourceIds.length; start += batchSize) {
    const some = sourceIds.slice(start, start + batchSize)
    const { rows } = await sql<StoredEdge>`
      select source_id as "sourceId", target_id as "targetId", kind, confidence, sites
      from code_edges where source_id = any(${some}::bigint[])`.execute(db)
    edges.push(...rows)
  }
  return edges
}

/**
 * What differs between edges.
 *
 * @param stored all that lead from the files that `found` was found for
 * @param ids of files, by path; who has none is new
 */
export function compareEdges(
  stored: readonly StoredEdge[],
  found: readonly CodeEdge[],
  ids: ReadonlyMap<string, number>,
): Pick<GraphDifference, 'edges' | 'removedEdges'> {
  const old = new Map(
    stored.map((edge) => [`${edge.sourceId} ${edge.targetId} ${edge.kind}`, edge]),
  )
  const edges = found.filter((edge) => {
    const key = `${ids.get(edge.source)} ${ids.get(edge.target)} ${edge.kind}`
    const known = old.get(key)
    old.delete(key)
    // As the column holds it.
    const isSame =
      known?.sites === edge.sites && Math.fround(known.confidence) === Math.fround(edge.confidence)
    return !isSame
  })
  return { edges, removedEdges: [...old.values()] }
}
