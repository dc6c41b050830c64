// Reads of the stored graph that only the graph of a change needs: blobs, facts by blob, uses over several steps.
import { sql } from 'kysely'
import { codeIndexVersion, type FileIndex } from '../../code/code-index.ts'
import { decodeFileIndex } from '../../code/indexing/encode-file-index.ts'
import type { SourceKind } from '../../code/indexing/source-kind.ts'
import type { Db } from '../../db/database.ts'
import { findGraph, type Graph, pageOfId } from '../graph/read-graph.ts'
import { blobKey, type CodeCache, type FileBlobs, type SourceBlob } from './code-cache.ts'
import type { FileUse } from './trace-dependents.ts'

type GraphId = Pick<Graph, 'id'>

/** The blobs of all files of the graph, by path. */
async function readBlobs(db: Db, cache: CodeCache, { id, commit }: Graph): Promise<FileBlobs> {
  const key = `${id} ${commit}`
  const known = cache.fileBlobs.get(key)
  if (known !== undefined) return known
  const { rows } = await sql<{ blobs: [path: string, oid: string][] }>`
    select json_agg(json_build_array(path, oid)) as blobs from code_files where graph_id = ${id}
    group by ${pageOfId}`.execute(db)
  const blobs = new Map(rows.flatMap((row) => row.blobs))
  cache.fileBlobs.set(key, blobs)
  return blobs
}

/**
 * The facts of blobs, by `blobKey`: those that are kept in memory, and those that are stored, whatever file shows them. Blobs
 * that were never read are left out.
 */
export async function readBlobIndexes(
  db: Db,
  { indexId }: Pick<Graph, 'indexId'>,
  cache: CodeCache,
  blobs: readonly SourceBlob[],
): Promise<Map<string, FileIndex>> {
  const found = new Map<string, FileIndex>()
  const missing: SourceBlob[] = []
  for (const blob of blobs) {
    const facts = cache.fileIndexes.get(blobKey(blob))
    if (facts !== undefined) found.set(blobKey(blob), facts)
    else missing.push(blob)
  }
  if (missing.length === 0) return found
  const { rows } = await sql<{ oid: string; kind: SourceKind; facts: Buffer }>`
    select c.oid, c.grammar as kind, c.facts
    from unnest(${missing.map(({ oid }) => oid)}::text[], ${missing.map(({ kind }) => kind)}::text[]) as asked (oid, grammar)
    join code_facts c on c.graph_id = ${indexId} and c.oid = asked.oid and c.grammar = asked.grammar
    where c.version = ${codeIndexVersion} and c.facts is not null`.execute(db)
  for (const { facts, ...blob } of rows) {
    const decoded = decodeFileIndex(facts)
    found.set(blobKey(blob), decoded)
    cache.fileIndexes.set(blobKey(blob), decoded)
  }
  return found
}

/** A file of the graph; the kind is empty where facts aren't read from it. */
interface StoredFile extends SourceBlob {
  readonly path: string
}

/** The files that use some, those that surely do first: one that only imports may use nothing. */
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
    order by max(e.confidence) filter (where e.kind <> 'import') desc nulls last, max(e.confidence) desc, s.path
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
 * Uses that lead to some files over a number of steps.
 *
 * @param limit of edges in one step
 * @returns `isWhole` is false where there were more
 */
async function readUses(
  db: Db,
  { id }: GraphId,
  paths: readonly string[],
  { limit, confidence }: { limit: number; confidence: number },
): Promise<{ uses: FileUse[]; isWhole: boolean }> {
  const { rows } = await sql<{ id: number }>`
    select id from code_files where graph_id = ${id} and path = any(${paths}::text[])`.execute(db)
  const edges: [source: number, target: number][] = []
  const seen = new Set(rows.map((row) => row.id))
  let isWhole = true
  let edge = [...seen]
  for (let step = 0; step < maxSteps && edge.length > 0 && isWhole; step++) {
    const found = await readEdgesTo(db, edge, { limit, confidence })
    isWhole = found.length < limit
    for (const pair of found) edges.push(pair)
    edge = found.map(([source]) => source).filter((source) => !seen.has(source) && seen.add(source))
  }
  const pathOf = await readPathsOf(db, [...seen])
  const uses = edges.flatMap(([source, target]) => {
    const ends = { source: pathOf.get(source), target: pathOf.get(target) }
    return ends.source === undefined || ends.target === undefined ? [] : [ends as FileUse]
  })
  return { uses, isWhole }
}

/** Ids of both ends; several edges between two files are one. */
async function readEdgesTo(
  db: Db,
  targets: readonly number[],
  { limit, confidence }: { limit: number; confidence: number },
): Promise<[source: number, target: number][]> {
  const { rows } = await sql<{ edges: [number, number][] | null }>`
    select json_agg(json_build_array(source_id, target_id)) as edges from (
      select distinct source_id, target_id from code_edges
      where target_id = any(${targets}::bigint[]) and confidence >= ${confidence}
      limit ${sql.lit(limit)}) as found`.execute(db)
  return rows[0]?.edges ?? []
}

async function readPathsOf(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await sql<{ paths: [number, string][] | null }>`
    select json_agg(json_build_array(id, path)) as paths from code_files where id = any(${ids}::bigint[])`.execute(
    db,
  )
  return new Map(rows[0]?.paths ?? [])
}

/** What the stored graph says around changed files. */
export interface StoredCode {
  readonly graph: Graph
  /** Of all its files, by path; null where it shows the very commit that the change is based on. */
  readonly blobs: FileBlobs | null
  /** Files that use the changed ones, those that surely do first. */
  readonly usingPaths: readonly string[]
  /** Of the changed files and of those that use them, as the graph has them, by `blobKey`. */
  readonly fileIndexes: ReadonlyMap<string, FileIndex>
  readonly uses: readonly FileUse[]
  /** All uses that lead to the change were read. */
  readonly isWhole: boolean
}

/** Steps of use between a change and the tests that are looked for. */
const maxSteps = 4
const maxUses = 10_000
const maxEdges = 5_000
/** Files that may use the changed ones, at most so many. */
export const maxUsingFiles = 300
/** Less sure ones lead everywhere. */
const minConfidence = 0.5

/**
 * Reads what a repository's graph has around a change; null where there is none.
 *
 * @param base the commit that the change is based on
 * @param paths of the changed files, before and after
 */
export async function readStoredCode(
  db: Db,
  cache: CodeCache,
  { repo, base, paths }: { repo: string; base: string; paths: readonly string[] },
): Promise<StoredCode | null> {
  const graph = await findGraph(db, repo)
  if (graph === null) return null
  const users = await readUsingFiles(db, graph, paths)
  const around = [...(await readFiles(db, graph, paths)), ...users.slice(0, maxUsingFiles)]
  return {
    graph,
    usingPaths: users.map(({ path }) => path),
    fileIndexes: await readBlobIndexes(db, graph, cache, around),
    blobs: graph.commit === base ? null : await readBlobs(db, cache, graph),
    ...(await readUses(db, graph, paths, { limit: maxUses, confidence: minConfidence })),
  }
}
