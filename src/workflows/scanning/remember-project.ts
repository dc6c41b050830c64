// Describes the project that a scan found, and keeps the description as memories.
import { sql } from 'kysely'
import { transactionWithRetry } from '../../db/transaction.ts'
import { assertScanLease } from '../../jobs/scans.ts'
import type { OpenGraph } from '../../knowledge/graph/write-graph.ts'
import { saveMemories } from '../../knowledge/memory/save-memories.ts'
import { describeProject } from '../../knowledge/project/describe-project.ts'
import type { ProjectFile } from '../../knowledge/project/project.ts'
import { listTree } from '../../workspace/list-tree.ts'
import { chooseFiles, largestRead, mostFiles } from './choose-files.ts'
import type { Scan } from './scan-context.ts'

const symbolsOfFile = 20
const sureEnough = 0.5

/** @param graph that shows the scan's commit; null without one */
export async function rememberProject(scan: Scan, graph: OpenGraph | null): Promise<void> {
  const { ctx, commit, snapshot, progress, scan: claim, signal } = scan
  progress.tell('describing the project', 0, 0)
  const files = graph === null ? await listFiles(scan) : await readProjectFiles(scan, graph)
  const uses = graph === null ? [] : await readUses(scan, graph)
  const readText = async (path: string) => {
    signal.throwIfAborted()
    const bytes = await snapshot.readFile(path, { maxBytes: largestRead }).catch(() => undefined)
    return bytes?.includes(0) ? undefined : bytes && new TextDecoder().decode(bytes)
  }
  const memories = await describeProject({ repo: claim.repo, commit, files, uses, readText })
  await transactionWithRetry(ctx.db, async (tx) => {
    await assertScanLease(tx, claim)
    await saveMemories(tx, claim.repo, memories, {
      endOthers: { types: ['project_map', 'project_pattern', 'decision'], source: 'scan' },
    })
  })
}

async function listFiles({ repository, commit, signal }: Scan): Promise<ProjectFile[]> {
  const { entries } = await listTree(repository, commit, { maxEntries: mostFiles, signal })
  return chooseFiles(entries).files.map(({ path, language, kind, isTest, size }) => {
    return { path, language, kind, isTest, size, lines: null, complexity: null, symbols: [], usedBy: 0 }
  })
}

async function readProjectFiles({ ctx }: Scan, { id }: OpenGraph): Promise<ProjectFile[]> {
  const { rows } = await sql<ProjectFile>`
    select path, language, kind, is_test as "isTest", size, lines, complexity, coalesce(symbols, '[]') as symbols,
      coalesce(used_by, 0) as "usedBy"
    from code_files f
    left join (
      select target_id, count(distinct source_id)::int as used_by from code_edges
      where graph_id = ${id} and confidence >= ${sureEnough} group by target_id) as u on u.target_id = f.id
    left join lateral (
      select json_agg(top) as symbols from (
        select name, kind, exported from code_symbols s where s.file_id = f.id and container = ''
        order by exported desc, ordinal limit ${sql.lit(symbolsOfFile)}) as top) as s on true
    where graph_id = ${id}
    order by path`.execute(ctx.db)
  return rows
}

async function readUses({ ctx }: Scan, { id }: OpenGraph): Promise<(readonly [string, string])[]> {
  const { rows } = await sql<{ source: string; target: string }>`
    select distinct s.path as source, t.path as target
    from code_files s join code_edges e on e.source_id = s.id join code_files t on t.id = e.target_id
    where s.graph_id = ${id} and e.confidence >= ${sureEnough}`.execute(ctx.db)
  return rows.map(({ source, target }) => [source, target])
}
