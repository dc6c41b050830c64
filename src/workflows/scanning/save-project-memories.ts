// Describes the scanned project and saves the description as memories.
import type { Db } from '../../db/database.ts'
import { readClock } from '../../db/read-clock.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { listSizedTree } from '../../git/list-tree.ts'
import { chooseFiles, maxFiles, maxReadBytes } from '../../knowledge/graph/choose-files.ts'
import type { Graph } from '../../knowledge/graph/read-graph.ts'
import { readProjectFiles } from '../../knowledge/graph/read-project-files.ts'
import { endOtherMemories } from '../../knowledge/memory/end-memories.ts'
import { saveMemories } from '../../knowledge/memory/save-memories.ts'
import { describeProject } from '../../knowledge/project/describe-project.ts'
import type { Project } from '../../knowledge/project/project.ts'
import { assertHeld } from '../../work/work-items.ts'
import { enrichProjectMap } from './enrich-project-map.ts'
import type { Scan } from './scan-context.ts'

/** Small batches, because deliveries wait for the one connection of the embedded database. */
const memoryBatchSize = 200

type KnownProject = Pick<Project, 'files' | 'uses'>

/** @param graph the graph at the scan's commit; null if graphs are off */
export async function saveProjectMemories(
  scan: Scan,
  graph: Pick<Graph, 'id'> | null,
): Promise<void> {
  const { ctx, snapshot, progress, scan: claim, signal } = scan
  progress.report('describing the project', 0, 0)
  const { files, uses } =
    graph === null ? await listFiles(scan) : await readProjectFiles(ctx.db, graph, signal)
  const readText = async (path: string) => {
    signal.throwIfAborted()
    const bytes = await snapshot.readFile(path, { maxBytes: maxReadBytes }).catch(() => undefined)
    return bytes?.includes(0) ? undefined : bytes && new TextDecoder().decode(bytes)
  }
  const memories = await describeProject({
    repo: claim.repo,
    commit: snapshot.sha,
    files,
    uses: uses ?? [],
    readText,
  })
  const write = (work: (tx: Db) => Promise<void>) =>
    transactionWithRetry(ctx.db, async (tx) => {
      await assertHeld(tx, claim)
      await work(tx)
    })
  // All memories of a scan get one time.
  const savedAt = await readClock(ctx.db)
  for (let start = 0; start < memories.length; start += memoryBatchSize) {
    await write((tx) =>
      saveMemories(tx, claim.repo, memories.slice(start, start + memoryBatchSize), savedAt),
    )
  }
  const own = { types: ['project_map', 'project_pattern', 'decision'], source: 'scan' } as const
  await write((tx) => endOtherMemories(tx, claim.repo, memories, own))
  // A repository's settings can forbid the use of models.
  if (scan.settings.mode !== 'static') await enrichProjectMap(scan, files)
}

async function listFiles({ repository, snapshot, signal }: Scan): Promise<KnownProject> {
  const { entries } = await listSizedTree(repository, snapshot.sha, {
    maxEntries: maxFiles,
    signal,
  })
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
