// Reads the files of a stored graph with what describes a project: their main symbols and uses.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { Project, ProjectFile } from '../project/project.ts'
import type { Graph } from './read-graph.ts'

const maxSymbolsPerFile = 20
const minConfidence = 0.5
/** Files are read in batches, with their symbols and edges. */
const fileBatchSize = 1000

/** Reads in batches, so that other users of the database don't wait. */
export async function readProjectFiles(
  db: Db,
  { id: graphId }: Pick<Graph, 'id'>,
  signal: AbortSignal,
): Promise<Pick<Project, 'files' | 'uses'>> {
  const files: (ProjectFile & { id: number })[] = []
  const uses: (readonly [number, number])[] = []
  for (let after = 0, more = true; more; ) {
    signal.throwIfAborted()
    const batch = await readSomeFiles(db, graphId, after)
    const ids = batch.map(({ id }) => id)
    const symbols = await readTopSymbols(db, ids)
    for (const file of batch)
      files.push({ ...file, symbols: symbols.get(file.id) ?? [], usedBy: 0 })
    uses.push(...(await readUses(db, ids)))
    after = ids.at(-1) ?? after
    more = batch.length === fileBatchSize
  }
  const pathOf = new Map(files.map(({ id, path }) => [id, path]))
  const usedBy = Map.groupBy(uses, ([, target]) => target)
  return {
    files: files.map((file) => ({ ...file, usedBy: usedBy.get(file.id)?.length ?? 0 })),
    uses: uses.map(
      ([source, target]) => [pathOf.get(source) ?? '', pathOf.get(target) ?? ''] as const,
    ),
  }
}

// Rows are aggregated as JSON, because parsing many single rows takes several times as long.

async function readSomeFiles(
  db: Db,
  graphId: number,
  after: number,
): Promise<readonly (ProjectFile & { id: number })[]> {
  const { rows } = await sql<{ files: (ProjectFile & { id: number })[] | null }>`
    select json_agg(file order by id) as files
    from (
      select id, path, language, kind, is_test as "isTest", size, lines, complexity
      from code_files where graph_id = ${graphId} and id > ${after}
      order by id limit ${sql.lit(fileBatchSize)}) as file`.execute(db)
  return rows[0]?.files ?? []
}

/**
 * Reads a bounded number of symbols per file through the per-file index. Scanning the whole table
 * would mostly read rows of other repositories.
 */
async function readTopSymbols(
  db: Db,
  fileIds: readonly number[],
): Promise<ReadonlyMap<number, ProjectFile['symbols']>> {
  const { rows } = await sql<{ id: number; symbols: ProjectFile['symbols'] }>`
    select file.id, found.symbols
    from unnest(${fileIds}::bigint[]) as file (id)
    cross join lateral (
      select json_agg(json_build_object('name', name, 'kind', kind, 'exported', exported)
        order by exported desc, ordinal) as symbols
      from (
        select name, kind, exported, ordinal from code_symbols
        where file_id = file.id and container = ''
        order by exported desc, ordinal limit ${sql.lit(maxSymbolsPerFile)}) as top) as found
    where found.symbols is not null`.execute(db)
  return new Map(rows.map(({ id, symbols }) => [id, symbols]))
}

async function readUses(
  db: Db,
  fileIds: readonly number[],
): Promise<(readonly [number, number])[]> {
  const { rows } = await sql<{ id: number; targets: readonly number[] }>`
    select file.id, found.targets
    from unnest(${fileIds}::bigint[]) as file (id)
    cross join lateral (
      select json_agg(distinct target_id) as targets
      from code_edges where source_id = file.id and confidence >= ${minConfidence}) as found
    where found.targets is not null`.execute(db)
  return rows.flatMap(({ id, targets }) => targets.map((target) => [id, target] as const))
}
