// Describes the scanned project and saves the description as memories.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { listTree } from '../../git/list-tree.ts'
import { assertScanLease } from '../../jobs/scans.ts'
import type { WritableGraph } from '../../knowledge/graph/write-graph.ts'
import { endOtherMemories } from '../../knowledge/memory/end-memories.ts'
import { saveMemories } from '../../knowledge/memory/save-memories.ts'
import { describeProject } from '../../knowledge/project/describe-project.ts'
import type { Project, ProjectFile } from '../../knowledge/project/project.ts'
import { loadSettings } from '../gathering/read-settings.ts'
import { chooseFiles, maxFiles, maxReadBytes } from './choose-files.ts'
import { enrichProjectMap } from './enrich-project-map.ts'
import type { Scan } from './scan-context.ts'

const maxSymbolsPerFile = 20
const minConfidence = 0.5
/** Files are read in batches, with their symbols and edges. */
const fileBatchSize = 1000
/** Small batches, because deliveries wait for the one connection of the embedded database. */
const memoryBatchSize = 200

type KnownProject = Pick<Project, 'files' | 'uses'>

/** @param graph the graph at the scan's commit; null if graphs are off */
export async function saveProjectMemories(scan: Scan, graph: WritableGraph | null): Promise<void> {
  const { ctx, commit, snapshot, progress, scan: claim, signal } = scan
  progress.report('describing the project', 0, 0)
  const { files, uses } =
    graph === null ? await listFiles(scan) : await readProjectFiles(scan, graph)
  const readText = async (path: string) => {
    signal.throwIfAborted()
    const bytes = await snapshot.readFile(path, { maxBytes: maxReadBytes }).catch(() => undefined)
    return bytes?.includes(0) ? undefined : bytes && new TextDecoder().decode(bytes)
  }
  const memories = await describeProject({
    repo: claim.repo,
    commit,
    files,
    uses: uses ?? [],
    readText,
  })
  const write = (work: (tx: Db) => Promise<void>) =>
    transactionWithRetry(ctx.db, async (tx) => {
      await assertScanLease(tx, claim)
      await work(tx)
    })
  const savedAt = await readClock(ctx.db)
  for (let start = 0; start < memories.length; start += memoryBatchSize) {
    await write((tx) =>
      saveMemories(tx, claim.repo, memories.slice(start, start + memoryBatchSize), savedAt),
    )
  }
  const own = { types: ['project_map', 'project_pattern', 'decision'], source: 'scan' } as const
  await write((tx) => endOtherMemories(tx, claim.repo, memories, own))
  // A repository's settings can forbid the use of models.
  const { settings } = await loadSettings(snapshot)
  if (settings.mode !== 'static') await enrichProjectMap(scan, files)
}

/** All memories of a scan get one time, by the database's clock. */
async function readClock(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now()`.execute(db)
  return rows[0]!.now
}

async function listFiles({ repository, commit, signal }: Scan): Promise<KnownProject> {
  const { entries } = await listTree(repository, commit, { maxEntries: maxFiles, signal })
  const files = chooseFiles(entries).files.map(({ path, language, kind, isTest, size }) => {
    return {
      path,
      language,
      kind,
      isTest,
      size,
      lines: null,
      complexity: null,
      symbols: [],
      usedBy: 0,
    }
  })
  return { files, uses: [] }
}

/** Reads in batches, so that other users of the database don't wait. */
async function readProjectFiles(
  { ctx, signal }: Scan,
  { id: graphId }: WritableGraph,
): Promise<KnownProject> {
  const files: (ProjectFile & { id: number })[] = []
  const uses: (readonly [number, number])[] = []
  for (let after = 0, more = true; more; ) {
    signal.throwIfAborted()
    const batch = await readSomeFiles(ctx.db, graphId, after)
    const ids = batch.map(({ id }) => id)
    const symbols = await readTopSymbols(ctx.db, ids)
    for (const file of batch)
      files.push({ ...file, symbols: symbols.get(file.id) ?? [], usedBy: 0 })
    uses.push(...(await readUses(ctx.db, ids)))
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
