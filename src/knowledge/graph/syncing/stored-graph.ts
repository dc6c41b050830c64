// Reads a stored code graph, and compares it with the files and edges that a scan found.
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { Row } from '../../../db/schema.ts'
import type { CodeEdge } from '../../resolution/list-edges.ts'
import type { FileRow } from './graph-rows.ts'
import type { FileUpdate, GraphDifference, GraphTree } from './write-graph.ts'

/** A stored file, without the columns that derive from its blob alone. */
interface StoredFile extends Omit<FileRow, 'usedNames' | 'namespace'> {
  readonly id: number
}

type StoredEdge = Omit<Row<'codeEdges'>, 'graphId'>

const batchSize = 5000

/** Reads the files of a graph by path: all of them, or those of `paths`. */
export async function readStoredFiles(
  db: Db,
  graphId: number,
  paths?: readonly string[],
): Promise<Map<string, StoredFile>> {
  const files = new Map<string, StoredFile>()
  let lastId: number | undefined = 0
  while (lastId !== undefined) {
    const page: readonly StoredFile[] = await readFilePage(db, graphId, lastId, paths)
    for (const file of page) files.set(file.path, file)
    lastId = page.length < batchSize ? undefined : page.at(-1)?.id
  }
  return files
}

async function readFilePage(
  db: Db,
  graphId: number,
  afterId: number,
  paths: readonly string[] | undefined,
) {
  const pathCondition = paths === undefined ? sql`` : sql`and path = any(${paths}::text[])`
  const { rows } = await sql<StoredFile>`
    select id, path, oid, grammar, language, kind, is_test, size, lines,
      complexity, unparsed
    from code_files where graph_id = ${graphId} and id > ${afterId} ${pathCondition}
    order by id limit ${sql.lit(batchSize)}`.execute(db)
  return rows
}

/** Reads the outgoing edges of these files. */
export async function readStoredEdges(db: Db, sourceIds: readonly number[]): Promise<StoredEdge[]> {
  const edges: StoredEdge[] = []
  for (let start = 0; start < sourceIds.length; start += batchSize) {
    const batch = sourceIds.slice(start, start + batchSize)
    const { rows } = await sql<StoredEdge>`
      select source_id, target_id, kind, confidence, sites
      from code_edges where source_id = any(${batch}::bigint[])`.execute(db)
    edges.push(...rows)
  }
  return edges
}

/** @param stored the files of the graph by path, and `found` those of the whole tree */
export function compareFiles(
  stored: ReadonlyMap<string, StoredFile>,
  found: GraphTree['files'],
): Pick<GraphDifference, 'removedFileIds' | 'files'> {
  const removed = new Map(stored)
  const files: FileUpdate[] = []
  for (const { row, symbols } of found) {
    removed.delete(row.path)
    const old = stored.get(row.path)
    if (old === undefined) files.push({ id: null, row, symbols })
    else if (!isSameFile(old, row))
      files.push({ id: old.id, row, symbols: isSameBlob(old, row) ? null : symbols })
  }
  return { removedFileIds: [...removed.values()].map(({ id }) => id), files }
}

/** The index depends on these alone, except that an unparsed file may be parsed the next time. */
function isSameBlob(old: StoredFile, row: FileRow): boolean {
  return old.oid === row.oid && old.grammar === row.grammar && old.unparsed === row.unparsed
}

function isSameFile(old: StoredFile, row: FileRow): boolean {
  const isSame =
    old.language === row.language &&
    old.kind === row.kind &&
    old.isTest === row.isTest &&
    old.size === row.size &&
    old.lines === row.lines &&
    old.complexity === row.complexity
  return isSame && isSameBlob(old, row)
}

/**
 * Compares stored edges with found ones.
 *
 * @param stored all outgoing edges of the files that `found` was resolved for
 * @param ids the ids of files by path; a new file has none yet
 */
export function compareEdges(
  stored: readonly StoredEdge[],
  found: readonly CodeEdge[],
  ids: ReadonlyMap<string, number>,
): Pick<GraphDifference, 'edges' | 'removedEdges'> {
  const unmatched = new Map(
    stored.map((edge) => [`${edge.sourceId} ${edge.targetId} ${edge.kind}`, edge]),
  )
  const edges = found.filter((edge) => {
    const key = `${ids.get(edge.source)} ${ids.get(edge.target)} ${edge.kind}`
    const storedEdge = unmatched.get(key)
    unmatched.delete(key)
    // The column has single precision.
    const isSame =
      storedEdge?.sites === edge.sites &&
      Math.fround(storedEdge.confidence) === Math.fround(edge.confidence)
    return !isSame
  })
  return { edges, removedEdges: [...unmatched.values()] }
}
