// The code graph of real commits, in a database of its own, as reviews of changes get it.

import { createFileIndexer } from '../src/code/file-indexer.ts'
import type { SyntaxParser } from '../src/code/syntax-parser.ts'
import type { AppContext } from '../src/context.ts'
import { type DatabaseConfig, openDatabase } from '../src/db/database.ts'
import type { ChangeGraph } from '../src/domain/change-graph.ts'
import { ObjectReader } from '../src/git/object-reader.ts'
import { defaultGitRuntime } from '../src/git/run-git.ts'
import { createCodeCache } from '../src/knowledge/change/code-cache.ts'
import { readChangeGraph } from '../src/knowledge/change/read-change-graph.ts'
import { openGraph } from '../src/knowledge/graph/write-graph.ts'
import type { Log } from '../src/lib/logger.ts'
import type { Change } from '../src/reviewers/reviewer.ts'
import { buildGraph } from '../src/workflows/scanning/build-graph.ts'
import { createProgress } from '../src/workflows/scanning/progress.ts'
import { createTestDatabase, silentLog } from '../test/fakes/test-database.ts'

/** Graphs of one repository after the other; a later commit takes an earlier one's place. */
export interface GraphBuilder extends AsyncDisposable {
  /** Brings a repository's graph to where a change began, as a scan does. Returns how long that took, in milliseconds. */
  build(change: Change, gitDirectory: string): Promise<number>
  /** What a review is told of the change. */
  read(change: Change): Promise<ChangeGraph | null>
}

const log = { ...silentLog, debug() {} } as unknown as Log
const neverAborted = new AbortController().signal
const queryTimeoutMs = 30_000

/** Opens a database for graphs, of its own; dispose of it. */
export async function openGraphBuilder(
  syntax: SyntaxParser,
  engine: DatabaseConfig['engine'] = 'embedded',
): Promise<GraphBuilder> {
  await using stack = new AsyncDisposableStack()
  const database = await createTestDatabase({ engine })
  stack.defer(() => database.dispose())
  const { db } = stack.use(await openDatabase(database.config, log))
  const reader = stack.use(createFileIndexer())
  const ctx = { db, log } as unknown as AppContext
  const codeCache = createCodeCache()
  const held = stack.move()
  return {
    async build(change, gitDirectory) {
      const startedAt = performance.now()
      const { repo } = change.pullRequest
      const scan = { repo, worker: 'bench', fence: 1, attempt: 1, thorough: false }
      const graph = await openGraph(db, repo, scan.fence)
      if (graph.commit === change.mergeBaseSha) return 0
      const progress = createProgress(db, scan, () => {})
      const repository = { runtime: defaultGitRuntime, gitDirectory }
      const commit = change.mergeBaseSha
      await using objects = new ObjectReader(defaultGitRuntime, gitDirectory)
      const known = {
        scan,
        indexer: reader,
        signal: neverAborted,
        ctx,
        progress,
        repository,
        objects,
        commit,
        snapshot: change.base,
      }
      await buildGraph(known, graph)
      await progress.settled()
      return performance.now() - startedAt
    },
    read({ pullRequest, files, diff, head, base }) {
      const { repo, number, title } = pullRequest
      const context = {
        db,
        syntax,
        codeCache,
        log,
        queryTimeoutMs,
        layers: { graph: true, memory: true },
      }
      return readChangeGraph(
        context,
        { repo, number, title, files, diffs: diff.files, head, base },
        neverAborted,
      )
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}
