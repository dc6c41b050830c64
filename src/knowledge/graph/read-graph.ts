// Reads of a stored code graph: its files, their facts, who defines a name, who depends on a file.
import { sql } from 'kysely'
import { codeIndexVersion, type FileIndex } from '../../code/code-index.ts'
import { decodeFileIndex } from '../../code/indexing/encode-file-index.ts'
import type { Db } from '../../db/database.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { mayUseAnyOf } from './name-filter.ts'

/** A graph that can be read. */
export interface Graph {
  /** Of its files, symbols and edges. Once they are written anew it is another one, and this one leads to nothing. */
  readonly id: number
  /** Of what was read of blobs; it stays. */
  readonly factsId: number
  readonly repo: RepositoryName
  /** The commit of the default branch that it shows. */
  readonly commit: string
  /** What imports are resolved by, beside the paths. */
  readonly resolution: Record<string, unknown>
  readonly statistics: Record<string, unknown>
  readonly builtAt: Date | null
}

/** A symbol that other files can name. */
export interface StoredDefinition {
  readonly path: string
  /** Index into the symbols of the file's facts. */
  readonly ordinal: number
  readonly kind: string
  /** Names of what it is defined in, joined by full stops; empty at the top of its file. */
  readonly container: string
  readonly startLine: number
  readonly endLine: number
}

/** That one file uses another. */
export interface GraphEdge {
  readonly source: string
  readonly target: string
  readonly kind: 'import' | 'call' | 'reference' | 'extends'
  /** Of its surest site, from 0 to 1. */
  readonly confidence: number
  readonly sites: number
}

/** A file that uses another one, or uses one that does. */
export interface Dependent {
  readonly path: string
  readonly isTest: boolean
  /** How many steps away: 1 for one that uses it itself. */
  readonly depth: number
}

/** Definers of one name at most: what everybody defines tells nothing. */
const maxDefinitionsPerName = 200

/**
 * Runs reads that belong together: all of them see the same graph, whatever is written meanwhile. They must come one soon after
 * the other and do nothing else: the embedded database has one connection.
 *
 * @param timeoutMs for each statement
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
      await sql`select set_config('statement_timeout', ${String(Math.floor(timeoutMs))}, true)`.execute(
        tx,
      )
      return read(tx)
    })
}

/** The graph of a repository; null while there is none, or only one that an older version of the program read. */
export async function findGraph(db: Db, repo: RepositoryName): Promise<Graph | null> {
  const row = await db
    .selectFrom('code_graphs')
    .select(['id', 'facts_id', 'commit_sha', 'resolution', 'statistics', 'built_at'])
    .where('repo', '=', repo)
    .where('facts_version', '=', codeIndexVersion)
    .executeTakeFirst()
  if (row === undefined || row.commit_sha === null) return null
  const {
    id,
    facts_id: factsId,
    commit_sha: commit,
    resolution,
    statistics,
    built_at: builtAt,
  } = row
  return { id, factsId, repo, commit, resolution, statistics, builtAt }
}

type GraphId = Pick<Graph, 'id'>

/** Throws where another graph is shown by now: what this one held may be half swept away. */
export async function requireCurrent(tx: Db, { id }: GraphId): Promise<void> {
  const shown = await tx
    .selectFrom('code_graphs')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst()
  if (shown === undefined) throw new Error('The code graph was written anew meanwhile.')
}

/**
 * Rows of `code_files` are put together by it: JSON is taken apart several times as fast as rows, and three times as fast as
 * arrays. In pieces: one value of all could be longer than a string can be, with the paths that somebody may make up.
 */
export const pageOfId = sql`id / 5000`

/** All paths, in no order. */
export async function readPaths(db: Db, { id }: GraphId): Promise<string[]> {
  const { rows } = await sql<{ paths: string[] }>`
    select json_agg(path) as paths from code_files where graph_id = ${id} group by ${pageOfId}`.execute(
    db,
  )
  return rows.flatMap(({ paths }) => paths)
}

/** Facts of those files that have some, by path. */
export async function readFileIndexes(
  db: Db,
  { id, factsId }: Pick<Graph, 'id' | 'factsId'>,
  paths: readonly string[],
): Promise<Map<string, FileIndex>> {
  if (paths.length === 0) return new Map()
  const { rows } = await sql<{ path: string; facts: Buffer }>`
    select path, facts
    from code_files f join code_facts c using (oid, grammar)
    where f.graph_id = ${id} and path = any(${paths}::text[]) and c.graph_id = ${factsId} and facts is not null
      and version = ${codeIndexVersion}`.execute(db)
  return new Map(rows.map(({ path, facts }) => [path, decodeFileIndex(facts)]))
}

/** Who defines these names for others, in the order of paths; names that nobody defines are left out. */
export async function findDefinitionsByName(
  db: Db,
  { id }: GraphId,
  names: readonly string[],
): Promise<Map<string, readonly StoredDefinition[]>> {
  const { rows } = await sql<StoredDefinition & { name: string }>`
    select wanted.name, found.*
    from unnest(${names}::text[]) as wanted (name)
    cross join lateral (
      select path, ordinal, s.kind, container, start_line as "startLine", end_line as "endLine"
      from code_symbols s join code_files f on f.id = s.file_id
      where s.graph_id = ${id} and s.name = wanted.name collate "C"
      order by path, ordinal limit ${sql.lit(maxDefinitionsPerName)}) as found`.execute(db)
  return Map.groupBy(
    rows.map(({ name, ...definer }) => Object.assign(definer, { name })),
    ({ name }) => name,
  )
}

/** All places of symbols with these names, in no order. Names that nobody defines are left out. */
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

/** Paths of the files that say to be a part of one of these packages or namespaces, by its name. */
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

/** The edges that lead to these files, or from them; the surest first. */
export async function readEdges(
  db: Db,
  { id }: GraphId,
  paths: readonly string[],
  options: { direction: 'to' | 'from'; limit: number },
): Promise<GraphEdge[]> {
  const near = sql.ref(options.direction === 'to' ? 'e.target_id' : 'e.source_id')
  const { rows } = await sql<GraphEdge>`
    select s.path as source, t.path as target, e.kind, e.confidence, e.sites
    from code_files n
    join code_edges e on ${near} = n.id
    join code_files s on s.id = e.source_id
    join code_files t on t.id = e.target_id
    where n.graph_id = ${id} and n.path = any(${paths}::text[])
    order by e.confidence desc, source, target, e.kind
    limit ${options.limit}`.execute(db)
  return rows
}

/**
 * The files that use these, and those that use them in turn, the nearest first.
 *
 * @param depth steps at most
 * @param limit files at most, about: a file that is reached in several ways counts several times while they are looked for
 * @param confidence of each step at least
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
    select path, is_test as "isTest", nearest.depth
    from (
      -- The nearest come out first, and what is over the limit is never looked for.
      select file_id, min(depth) as depth from (select * from reached limit ${limit * 4 + paths.length}) as found
      group by file_id) as nearest
    join code_files f on f.id = file_id
    where nearest.depth > 0
    order by nearest.depth, path
    limit ${limit}`.execute(db)
  return rows
}

/** Paths of files that may use one of these names, `limit` at most, in no order: all that do, and some that don't. */
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
