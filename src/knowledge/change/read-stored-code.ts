// Reads the part of the stored code graph around a change: blobs, index entries and uses.
import { sql } from 'kysely'
import { decodeFileIndex } from '../../code/indexing/encode-file-index.ts'
import type { SourceKind } from '../../code/indexing/source-kind.ts'
import type { Db } from '../../db/database.ts'
import { codeIndexVersion, type FileIndex } from '../../languages/code-index.ts'
import {
  findDefinitionsByName,
  findGraph,
  type Graph,
  pageOfId,
  readInOneSnapshot,
  requireCurrent,
} from '../graph/read-graph.ts'
import { blobKey, type CodeCache, type FileBlobs, type SourceBlob } from './code-cache.ts'
import { maxUsingFiles, type StoredCode } from './stored-code.ts'
import type { FileUse } from './trace-dependents.ts'

type GraphId = Pick<Graph, 'id'>

/** Reads the blob ids of all files of the graph, by path. */
async function readBlobs(db: Db, cache: CodeCache, { id, commit }: Graph): Promise<FileBlobs> {
  const key = `${id} ${commit}`
  const cached = cache.fileBlobs.get(key)
  if (cached !== undefined) return cached
  const { rows } = await sql<{ blobs: [path: string, oid: string][] }>`
    select json_agg(json_build_array(path, oid)) as blobs from code_files where graph_id = ${id}
    group by ${pageOfId}`.execute(db)
  const blobs = new Map(rows.flatMap((row) => row.blobs))
  cache.fileBlobs.set(key, blobs)
  return blobs
}

/**
 * Reads index entries from the cache and the database, whatever file has the blob.
 *
 * @returns the entries by `blobKey`; blobs that aren't indexed are left out
 */
async function readBlobIndexes(
  db: Db,
  { indexId }: Pick<Graph, 'indexId'>,
  cache: CodeCache,
  blobs: readonly SourceBlob[],
): Promise<Map<string, FileIndex>> {
  const found = new Map<string, FileIndex>()
  const missing: SourceBlob[] = []
  for (const blob of blobs) {
    const cached = cache.fileIndexes.get(blobKey(blob))
    if (cached !== undefined) found.set(blobKey(blob), cached)
    else missing.push(blob)
  }
  if (missing.length === 0) return found
  const oids = missing.map(({ oid }) => oid)
  const kinds = missing.map(({ kind }) => kind)
  const { rows } = await sql<{ oid: string; kind: SourceKind; facts: Buffer }>`
    select c.oid, c.grammar as kind, c.facts
    from unnest(${oids}::text[], ${kinds}::text[]) as missing (oid, grammar)
    join code_facts c
      on c.graph_id = ${indexId} and c.oid = missing.oid and c.grammar = missing.grammar
    where c.version = ${codeIndexVersion} and c.facts is not null`.execute(db)
  for (const { facts, ...blob } of rows) {
    const fileIndex = decodeFileIndex(facts)
    found.set(blobKey(blob), fileIndex)
    cache.fileIndexes.set(blobKey(blob), fileIndex)
  }
  return found
}

/** A file of the graph, with an empty kind if it can't be indexed. */
interface StoredFile extends SourceBlob {
  readonly path: string
}

/** Finds the files that use these. Files that only import them come last: they may use nothing. */
async function readUsingFiles(
  db: Db,
  { id }: GraphId,
  paths: readonly string[],
): Promise<StoredFile[]> {
  const { rows } = await sql<StoredFile>`
    select s.path, s.oid, s.grammar as kind
    from code_files n
    join code_edges e on e.target_id = n.id
    join code_files s on s.id = e.source_id
    where n.graph_id = ${id} and n.path = any(${paths}::text[])
    group by s.id
    order by max(e.confidence) filter (where e.kind <> 'import') desc nulls last,
      max(e.confidence) desc, s.path
    limit ${sql.lit(maxEdges)}`.execute(db)
  return rows
}

async function readFiles(db: Db, { id }: GraphId, paths: readonly string[]): Promise<StoredFile[]> {
  const { rows } = await sql<StoredFile>`
    select path, oid, grammar as kind from code_files
    where graph_id = ${id} and path = any(${paths}::text[])`.execute(db)
  return rows
}

/**
 * Reads the direct and indirect uses of these files.
 *
 * @returns `isWhole` is false if one step has more edges than allowed
 */
async function readUses(
  db: Db,
  { id }: GraphId,
  paths: readonly string[],
): Promise<{ uses: FileUse[]; isWhole: boolean }> {
  const { rows } = await sql<{ id: number }>`
    select id from code_files where graph_id = ${id} and path = any(${paths}::text[])`.execute(db)
  const edges: [source: number, target: number][] = []
  const seen = new Set(rows.map((row) => row.id))
  let isWhole = true
  let frontier = [...seen]
  for (let step = 0; step < maxSteps && frontier.length > 0 && isWhole; step++) {
    const found = await readEdgesTo(db, frontier)
    isWhole = found.length < maxUses
    for (const edge of found) edges.push(edge)
    const sources = new Set(found.map(([source]) => source))
    frontier = [...sources.difference(seen)]
    for (const source of frontier) seen.add(source)
  }
  const pathOf = await readPathsOf(db, [...seen])
  const uses = edges.flatMap(([sourceId, targetId]) => {
    const source = pathOf.get(sourceId)
    const target = pathOf.get(targetId)
    return source === undefined || target === undefined ? [] : [{ source, target }]
  })
  return { uses, isWhole }
}

/** Reads pairs of file ids; several edges between two files are one pair. */
async function readEdgesTo(
  db: Db,
  targets: readonly number[],
): Promise<[source: number, target: number][]> {
  const { rows } = await sql<{ edges: [number, number][] | null }>`
    select json_agg(json_build_array(source_id, target_id)) as edges from (
      select distinct source_id, target_id from code_edges
      where target_id = any(${targets}::bigint[]) and confidence >= ${minConfidence}
      limit ${sql.lit(maxUses)}) as found`.execute(db)
  return rows[0]?.edges ?? []
}

async function readPathsOf(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await sql<{ paths: [number, string][] | null }>`
    select json_agg(json_build_array(id, path)) as paths from code_files
    where id = any(${ids}::bigint[])`.execute(db)
  return new Map(rows[0]?.paths ?? [])
}

/** The maximum number of uses between a change and the tests that reach it. */
const maxSteps = 4
/** The maximum number of uses to read for each step. */
const maxUses = 10_000
const maxEdges = 5_000
/** Edges with a lower confidence connect too many files to be useful. */
const minConfidence = 0.5

/**
 * Reads the part of a repository's graph around a change; null if there is no graph.
 *
 * @param base the commit that the change is based on
 * @param paths the paths of the changed files, before and after the change
 * @param timeoutMs applies to each statement
 */
export async function readStoredCode(
  db: Db,
  cache: CodeCache,
  { repo, base, paths }: { repo: string; base: string; paths: readonly string[] },
  timeoutMs: number,
): Promise<StoredCode | null> {
  const read = <Result>(query: (tx: Db) => Promise<Result>) =>
    readInOneSnapshot(db, timeoutMs, query)
  return read(async (tx) => {
    const graph = await findGraph(tx, repo)
    if (graph === null) return null
    const usingFiles = await readUsingFiles(tx, graph, paths)
    const changedFiles = await readFiles(tx, graph, paths)
    const files = [...changedFiles, ...usingFiles.slice(0, maxUsingFiles)]
    return {
      commit: graph.commit,
      importConfig: graph.resolution,
      usingPaths: usingFiles.map(({ path }) => path),
      fileIndexes: await readBlobIndexes(tx, graph, cache, files),
      blobs: graph.commit === base ? null : await readBlobs(tx, cache, graph),
      ...(await readUses(tx, graph, paths)),
      loadIndexes: (blobs) => read((later) => readBlobIndexes(later, graph, cache, blobs)),
      findDefinitions: (names) =>
        read(async (later) => {
          await requireCurrent(later, graph)
          return findDefinitionsByName(later, graph, names)
        }),
    }
  })
}
