// Reads of the stored graph that only the graph of a change needs: blobs, facts by blob, uses over several steps.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { type CodeFacts, factsVersion } from '../../workspace/code-facts.ts'
import { decodeFacts } from '../../workspace/facts/encode-facts.ts'
import { type Definer, findDefiners, findGraph, type Graph, readEdges } from '../graph/read-graph.ts'
import type { Use } from './spread.ts'

type GraphId = Pick<Graph, 'id'>

/** A file and the blob that it is. */
export interface FileBlob {
  readonly path: string
  readonly oid: string
}

/** The blobs of all files of the graph, by path. */
async function readBlobs(db: Db, { id }: GraphId): Promise<Map<string, string>> {
  // As one value, and as JSON, which is parsed many times as fast as rows and arrays.
  const { rows } = await sql<{ blobs: [path: string, oid: string][] | null }>`
    select json_agg(json_build_array(path, oid)) as blobs from code_files where graph_id = ${id}`.execute(db)
  return new Map(rows[0]?.blobs ?? [])
}

/** The facts of those files that the graph has with this very content, by path. */
export async function readFactsOf(
  db: Db,
  { id }: GraphId,
  files: readonly FileBlob[],
): Promise<Map<string, CodeFacts>> {
  const { rows } = await sql<{ path: string; facts: Buffer }>`
    select f.path, c.facts
    from unnest(${files.map(({ path }) => path)}::text[], ${files.map(({ oid }) => oid)}::text[]) as asked (path, oid)
    join code_files f on f.graph_id = ${id} and f.path = asked.path and f.oid = asked.oid
    join code_facts c on c.graph_id = ${id} and c.oid = f.oid and c.grammar = f.grammar
    where c.version = ${factsVersion} and c.facts is not null`.execute(db)
  return new Map(rows.map(({ path, facts }) => [path, decodeFacts(facts)]))
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
): Promise<{ uses: Use[]; isWhole: boolean }> {
  const { rows } = await sql<{ id: number }>`
    select id from code_files where graph_id = ${id} and path = any(${paths}::text[])`.execute(db)
  const edges: [source: number, target: number][] = []
  const seen = new Set(rows.map((row) => row.id))
  let isWhole = true
  let edge = [...seen]
  for (let step = 0; step < steps && edge.length > 0 && isWhole; step++) {
    const found = await readEdgesTo(db, edge, { limit, confidence })
    isWhole = found.length < limit
    for (const pair of found) edges.push(pair)
    edge = found.map(([source]) => source).filter((source) => !seen.has(source) && seen.add(source))
  }
  const pathOf = await readPathsOf(db, [...seen])
  const uses = edges.flatMap(([source, target]) => {
    const ends = { source: pathOf.get(source), target: pathOf.get(target) }
    return ends.source === undefined || ends.target === undefined ? [] : [ends as Use]
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
    select json_agg(json_build_array(id, path)) as paths from code_files where id = any(${ids}::bigint[])`.execute(db)
  return new Map(rows[0]?.paths ?? [])
}

/** What the stored graph says around a change. */
export interface StoredCode {
  readonly graph: Graph
  /** Of all its files, by path; null where it shows the very commit that the change is based on. */
  readonly blobs: ReadonlyMap<string, string> | null
  /** Files that use the changed ones, those that surely do first. */
  readonly users: readonly string[]
  readonly definers: ReadonlyMap<string, readonly Definer[]>
  readonly uses: readonly Use[]
  /** All uses that lead to the change were read. */
  readonly isWhole: boolean
}

/** Steps of use between a change and the tests that are looked for. */
const steps = 4
const mostUses = 10_000
const mostEdges = 5_000
/** Less sure ones lead everywhere. */
const leastConfidence = 0.5

/**
 * Reads what a repository's graph has around a change; null where there is none.
 *
 * @param base the commit that the change is based on
 * @param paths of the changed files, before and after
 * @param names whose definers are wanted
 */
export async function readStoredCode(
  db: Db,
  { repo, base, paths, names }: { repo: string; base: string; paths: readonly string[]; names: readonly string[] },
): Promise<StoredCode | null> {
  const graph = await findGraph(db, repo)
  if (graph === null) return null
  const edges = await readEdges(db, graph, paths, { direction: 'to', limit: mostEdges })
  // One that only imports may use nothing of it.
  const users = new Set([...edges.filter(({ kind }) => kind !== 'import'), ...edges].map(({ source }) => source))
  return {
    graph,
    users: [...users],
    blobs: graph.commit === base ? null : await readBlobs(db, graph),
    definers: await findDefiners(db, graph, names),
    ...(await readUses(db, graph, paths, { limit: mostUses, confidence: leastConfidence })),
  }
}
