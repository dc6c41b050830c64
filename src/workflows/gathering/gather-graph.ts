// Gathers the parts of the code graph and the memories that concern a change.
import type { AppContext } from '../../context.ts'
import type { Change } from '../../domain/change.ts'
import type { ChangeGraph } from '../../domain/change-graph.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import type { KnowledgeContext } from '../../knowledge/change/change-graph-context.ts'
import { findNamedDefinitions } from '../../knowledge/change/find-named-definitions.ts'
import { readChangeGraph } from '../../knowledge/change/read-change-graph.ts'
import { recallMemories } from '../remembering/recall-memories.ts'

type GraphContext = Pick<AppContext, 'db' | 'syntax' | 'codeCache' | 'config' | 'log' | 'embedder'>

/**
 * Never fails a review: parts that can't be read are left out. Returns null without any knowledge.
 */
export async function gatherGraph(
  ctx: GraphContext,
  { pullRequest, diff, files, head, base }: Omit<Change, 'graph'>,
  signal: AbortSignal,
): Promise<ChangeGraph | null> {
  const { repo, number, title } = pullRequest
  const { queryTimeoutMs, enabled } = ctx.config.graph
  const context: KnowledgeContext = {
    db: ctx.db,
    syntax: ctx.syntax,
    log: ctx.log,
    codeCache: ctx.codeCache,
    queryTimeoutMs,
    layers: { graph: enabled, memory: ctx.config.memory },
    recall: (...request) => recallMemories(ctx, ...request),
  }
  return readChangeGraph(
    context,
    { repo, number, title, files, diffs: diff.files, head, base },
    signal,
  )
}

/** Creates the function with which a change finds definitions; undefined without a code graph. */
export function createDefinitionFinder(
  { db, config, log }: Pick<AppContext, 'db' | 'config' | 'log'>,
  repo: RepositoryName,
): Change['findDefinitions'] {
  const { enabled, queryTimeoutMs: timeoutMs } = config.graph
  if (!enabled) return undefined
  return (names) =>
    findNamedDefinitions(db, { repo, names, timeoutMs }).catch((error: unknown) => {
      log.warn({ err: error, repo }, 'could not find definitions in the code graph')
      return null
    })
}
