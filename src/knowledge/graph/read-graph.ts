// Queries a stored code graph: files, code index entries, definitions, edges and dependents.
import { sql } from 'kysely'
import { decodeFileIndex } from '../../code/indexing/encode-file-index.ts'
import type { Db } from '../../db/database.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { codeIndexVersion, type FileIndex } from '../../languages/code-index.ts'
import type { ImportConfig } from '../../languages/common/import-config.ts'
import { mayUseAnyOf } from './name-filter.ts'

export interface Graph {
  /** Identifies files, symbols and edges. Each rebuild gets another id and orphans the old rows. */
  readonly id: number
  /** Identifies the code index entries of blobs, which stay over rebuilds. */
  readonly indexId: number
  readonly repo: RepositoryName
  /** The commit of the default branch that the graph was built from. */
  readonly commit: string
  readonly resolution: ImportConfig
  readonly statistics: object
  readonly builtAt: Date | null
}

export interface StoredDefinition {
  readonly path: string
  /** The object id of the file's blob. */
  readonly oid: string
  /** Index into the symbols of the file's index entry. */
  readonly ordinal: number
  readonly kind: string
  /** The names of the enclosing definitions, joined by full stops; empty at the top level. */
  readonly container: string
  readonly startLine: number
  readonly endLine: number
}

/** A file that uses another one directly or over other files. */
interface Dependent {
  readonly path: string
  readonly isTest: boolean
  /** Counts the edges on the shortest path; a direct use has 1. */
  readonly depth: number
}

const maxDefinitionsPerName = 200

/**
 * Runs queries on one consistent snapshot of the graph. `read` must only query and not wait for
 * anything else: the embedded database has one connection, which it occupies.
 *
 * @param timeoutMs applies to each statement
 */
export async function readInOneSnapshot<Result>(
  db: Db,
  timeoutMs: number,
  read: (tx: Db) => Promise<Result>,
): Promise<Result> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const timeout = String(Math.floor(timeoutMs))
      await sql`select set_config('statement_timeout', ${timeout}, true)`.execute(tx)
      return read(tx)
    })
}

/** Returns null if the repository has no graph, or only one of an older code index version. */
export async function findGraph(db: Db, repo: RepositoryName): Promise<Graph | null> {
  const row = await db
    .selectFrom('codeGraphs')
    .select(['id', 'factsId as indexId', 'repo', 'resolution', 'statistics', 'builtAt'])
    .select('commitSha as commit')
    .where('repo', '=', repo)
    .where('factsVersion', '=', codeIndexVersion)
    .executeTakeFirst()
  const { commit = null } = row ?? {}
  return row === undefined || commit === null ? null : { ...row, commit }
}

type GraphId = Pick<Graph, 'id'>

/** Throws if a rebuild replaced the graph: its rows may be partly deleted by now. */
export async function requireCurrent(tx: Db, { id }: GraphId): Promise<void> {
  const current = await tx
    .selectFrom('codeGraphs')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst()
  if (current === undefined)
    throw new Error('The code graph was rebuilt while it was read. Read the current one.')
}

/**
 * Groups rows of `code_files` into JSON arrays, which parse several times as fast as rows do.
 * One array of all rows could exceed the maximum string length in a hostile repository.
 */
export const pageOfId = sql`id / 5000`

/** Returns the paths of all files, in no order. */
export async function readPaths(db: Db, { id }: GraphId): Promise<string[]> {
  const { rows } = await sql<{ paths: string[] }>`
    select json_agg(path) as paths from code_files
    where graph_id = ${id} group by ${pageOfId}`.execute(db)
  return rows.flatMap(({ paths }) => paths)
}

/** Returns the index entries by path; files without an entry are left out. */
export async function readFileIndexes(
  db: Db,
  { id, indexId }: Pick<Graph, 'id' | 'indexId'>,
  paths: readonly string[],
): Promise<Map<string, FileIndex>> {
  if (paths.length === 0) return new Map()
  const { rows } = await sql<{ path: string; facts: Buffer }>`
    select path, facts
    from code_files f join code_facts c using (oid, grammar)
    where f.graph_id = ${id} and path = any(${paths}::text[]) and c.graph_id = ${indexId}
      and facts is not null and version = ${codeIndexVersion}`.execute(db)
  return new Map(rows.map(({ path, facts }) => [path, decodeFileIndex(facts)]))
}

/** Returns the definitions by name, ordered by path; names without definitions are left out. */
export async function findDefinitionsByName(
  db: Db,
  { id }: GraphId,
  names: readonly string[],
): Promise<Map<string, readonly StoredDefinition[]>> {
  const { rows } = await sql<StoredDefinition & { name: string }>`
    select wanted.name, found.*
    from unnest(${names}::text[]) as wanted (name)
    cross join lateral (
      select path, oid, ordinal, s.kind, container,
        start_line, end_line
      from code_symbols s join code_files f on f.id = s.file_id
      where s.graph_id = ${id} and s.name = wanted.name collate "C"
      order by path, ordinal limit ${sql.lit(maxDefinitionsPerName)}) as found`.execute(db)
  return Map.groupBy(rows, ({ name }) => name)
}

/** Returns symbol locations by name, in no order; names without definitions are left out. */
export async function findSymbolLocations(
  db: Db,
  { id }: GraphId,
  names: readonly string[],
): Promise<Map<string, { path: string; ordinal: number }[]>> {
  if (names.length === 0) return new Map()
  const { rows } = await sql<{ name: string; path: string; ordinal: number }>`
    select s.name, path, ordinal from code_symbols s join code_files f on f.id = s.file_id
    where s.graph_id = ${id} and s.name = any(${names}::text[])`.execute(db)
  return Map.groupBy(rows, ({ name }) => name)
}

/** Returns the paths of the files that declare one of these packages or namespaces, by its name. */
export async function findNamespaceFiles(
  db: Db,
  { id }: GraphId,
  namespaces: readonly string[],
): Promise<Map<string, readonly string[]>> {
  if (namespaces.length === 0) return new Map()
  const { rows } = await sql<{ namespace: string; paths: string[] }>`
    select namespace, array_agg(path order by path) as paths
    from code_files where graph_id = ${id} and namespace = any(${namespaces}::text[])
    group by namespace`.execute(db)
  return new Map(rows.map(({ namespace, paths }) => [namespace, paths]))
}

/**
 * Finds the direct and indirect users of these files, ordered by distance.
 *
 * @param depth the maximum number of edges to follow
 * @param limit the maximum number of files; fewer may come back where many paths lead to one file
 * @param confidence the minimum confidence of each edge
 */
export async function listDependents(
  db: Db,
  { id }: GraphId,
  paths: readonly string[],
  { depth, limit, confidence = 0 }: { depth: number; limit: number; confidence?: number },
): Promise<Dependent[]> {
  const { rows } = await sql<Dependent>`
    with recursive reached (file_id, depth) as (
      select id, 0 from code_files where graph_id = ${id} and path = any(${paths}::text[])
      union
      select e.source_id, r.depth + 1
      from reached r join code_edges e on e.target_id = r.file_id
      where r.depth < ${depth} and e.confidence >= ${confidence}
    )
    select path, is_test, nearest.depth
    from (
      -- The recursion yields the nearest files first and stops at the limit.
      select file_id, min(depth) as depth
      from (select * from reached limit ${limit * 4 + paths.length}) as found
      group by file_id) as nearest
    join code_files f on f.id = file_id
    where nearest.depth > 0
    order by nearest.depth, path
    limit ${limit}`.execute(db)
  return rows
}

/**
 * Returns at most `limit` paths of files that may use one of these names, in no order.
 * Some of them may not use any: the filter has false positives.
 */
export async function findPossibleUsers(
  db: Db,
  { id }: GraphId,
  names: readonly string[],
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ path: string }>`
    select path from code_files
    where graph_id = ${id} and used_names is not null and ${mayUseAnyOf('used_names', names)}
    limit ${limit}`.execute(db)
  return rows.map(({ path }) => path)
}
