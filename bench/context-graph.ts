// Builds and reads code graphs of real commits in a temporary database.

import type { SyntaxParser } from '../src/code/syntax-parser.ts'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import { type DatabaseConfig, openDatabase } from '../src/db/database.ts'
import type { Change } from '../src/domain/change.ts'
import type { ChangeGraph } from '../src/domain/change-graph.ts'
import { ObjectReader } from '../src/git/object-reader.ts'
import { defaultGitRuntime } from '../src/git/run-git.ts'
import { createCodeCache } from '../src/knowledge/change/create-code-cache.ts'
import { findNamedDefinitions } from '../src/knowledge/change/find-named-definitions.ts'
import { readChangeGraph } from '../src/knowledge/change/read-change-graph.ts'
import { findGraph } from '../src/knowledge/graph/read-graph.ts'
import { openGraph, syncGraph } from '../src/knowledge/graph/sync-graph.ts'
import type { Log } from '../src/lib/logger.ts'
import { createTestDatabase, silentLog } from '../test/fakes/test-database.ts'

/** Stores one graph per repository. A later commit replaces an earlier one. */
export interface GraphBuilder extends AsyncDisposable {
  /** Builds the graph for the base of a change. Returns the duration in milliseconds. */
  build(change: Change, gitDirectory: string): Promise<number>
  /** Reads the graph data that a review of the change gets. */
  read(change: Change): Promise<ChangeGraph | null>
  findDefinitions(change: Change): NonNullable<Change['findDefinitions']>
}

const log = { ...silentLog, debug() {} } as unknown as Log
const neverAborted = new AbortController().signal
const queryTimeoutMs = 30_000

/** Opens a temporary database for graphs. Dispose of it. */
export async function openGraphBuilder(
  syntax: SyntaxParser,
  engine: DatabaseConfig['engine'] = 'embedded',
): Promise<GraphBuilder> {
  await using stack = new AsyncDisposableStack()
  const database = await createTestDatabase({ engine })
  stack.defer(() => database.dispose())
  const { db } = stack.use(await openDatabase(database.config, log))
  const indexer = stack.use(createSyntaxParser())
  const codeCache = createCodeCache()
  const resources = stack.move()
  return {
    async build(change, gitDirectory) {
      const startedAt = performance.now()
      const { repo } = change.pullRequest
      if ((await findGraph(db, repo))?.commit === change.mergeBaseSha) return 0
      await using objects = new ObjectReader(defaultGitRuntime, gitDirectory)
      await syncGraph({
        db,
        graph: await openGraph(db, { repo, fence: 1 }),
        repository: { runtime: defaultGitRuntime, gitDirectory, objects },
        snapshot: change.base,
        indexer,
        progress: { lap() {}, report() {} },
        signal: neverAborted,
        async onRenames() {},
      })
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
    findDefinitions:
      ({ pullRequest: { repo } }) =>
      (names) =>
        findNamedDefinitions(db, { repo, names, timeoutMs: queryTimeoutMs }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
