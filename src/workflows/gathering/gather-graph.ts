// Gathers what the code graph and the memory know around a change.
import type { AppContext } from '../../context.ts'
import type { ChangeGraph } from '../../domain/change-graph.ts'
import type { KnowledgeContext } from '../../knowledge/change/change-graph-context.ts'
import { readChangeGraph } from '../../knowledge/change/read-change-graph.ts'
import type { Change } from '../../reviewers/reviewer.ts'
import { recallMemories } from '../remembering/recall-memories.ts'

type GraphContext = Pick<AppContext, 'db' | 'syntax' | 'codeCache' | 'config' | 'log' | 'embedder'>

/** Never fails a review: what can't be told is left out. Null with nothing known. */
export async function gatherGraph(
  ctx: GraphContext,
  { pullRequest, diff, files, head, base }: Omit<Change, 'graph'>,
  signal: AbortSignal,
): Promise<ChangeGraph | null> {
  const { repo, number, title } = pullRequest
  const { queryTimeoutMs, enabled } = ctx.config.graph
  const context: KnowledgeContext = {
    ...{ db: ctx.db, syntax: ctx.syntax, log: ctx.log, codeCache: ctx.codeCache, queryTimeoutMs },
    layers: { graph: enabled, memory: ctx.config.memory },
    recall: (...asked) => recallMemories(ctx, ...asked),
  }
  return readChangeGraph(
    context,
    { repo, number, title, files, diffs: diff.files, head, base },
    signal,
  )
}
