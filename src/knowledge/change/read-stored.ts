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
export async function readBlobs(db: Db, { id }: GraphId): Promise<Map<string, string>> {
  // In two values: a row for each costs several times as much.
  const { rows } = await sql<{ paths: string[] | null; oids: string[] | null }>`
    select array_agg(path) as paths, array_agg(oid) as oids from code_files where graph_id = ${id}`.execute(db)
  const { paths, oids } = rows[0] ?? { paths: null, oids: null }
  return new Map((paths ?? []).map((path, at) => [path, oids?.[at] ?? '']))
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
 * Uses that lead to some files over a number of steps, the last steps first.
 *
 * @param limit of uses in one step
 * @returns `isWhole` is false where there were more
 */
export async function readUses(
  db: Db,
  { id }: GraphId,
  paths: readonly string[],
  { steps, limit, confidence }: { steps: number; limit: number; confidence: number },
): Promise<{ uses: Use[]; isWhole: boolean }> {
  const uses: Use[] = []
  const seen = new Set(paths)
  let edge = [...seen]
  for (let step = 0; step < steps && edge.length > 0; step++) {
    const { rows } = await sql<Use>`
      select distinct s.path as source, t.path as target
      from code_files t
      join code_edges e on e.target_id = t.id and e.confidence >= ${confidence}
      join code_files s on s.id = e.source_id
      where t.graph_id = ${id} and t.path = any(${edge}::text[])
      limit ${sql.lit(limit)}`.execute(db)
    uses.push(...rows)
    if (rows.length === limit) return { uses, isWhole: false }
    edge = rows.map(({ source }) => source).filter((path) => !seen.has(path) && seen.add(path))
  }
  return { uses, isWhole: true }
}

/** What the stored graph says around a change. */
export interface StoredCode {
  readonly graph: Graph
  readonly blobs: ReadonlyMap<string, string>
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
 * @param paths of the changed files, before and after
 * @param names whose definers are wanted
 */
export async function readStoredCode(
  db: Db,
  { repo, paths, names }: { repo: string; paths: readonly string[]; names: readonly string[] },
): Promise<StoredCode | null> {
  const graph = await findGraph(db, repo)
  if (graph === null) return null
  const edges = await readEdges(db, graph, paths, { direction: 'to', limit: mostEdges })
  // One that only imports may use nothing of it.
  const users = new Set([...edges.filter(({ kind }) => kind !== 'import'), ...edges].map(({ source }) => source))
  return {
    graph,
    users: [...users],
    blobs: await readBlobs(db, graph),
    definers: await findDefiners(db, graph, names),
    ...(await readUses(db, graph, paths, { steps, limit: mostUses, confidence: leastConfidence })),
  }
}
