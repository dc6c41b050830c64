// Gathers what the code graph and the memory know around a change.
import type { AppContext } from '../../context.ts'
import type { ChangeGraph } from '../../domain/change-graph.ts'
import { readChangeGraph } from '../../knowledge/change/read-change-graph.ts'
import type { Change } from '../../reviewers/reviewer.ts'

type GraphContext = Pick<AppContext, 'db' | 'syntax' | 'config' | 'log'>

/** Never fails a review: what can't be told is left out. Null with nothing known. */
export async function gatherGraph(
  { db, syntax, config, log }: GraphContext,
  { pullRequest, diff, files, head, base }: Omit<Change, 'graph'>,
  signal: AbortSignal,
): Promise<ChangeGraph | null> {
  const { repo, number, title } = pullRequest
  const { queryTimeoutMs, enabled } = config.graph
  const context = { db, syntax, log, queryTimeoutMs, layers: { graph: enabled, memory: config.memory } }
  return readChangeGraph(context, { repo, number, title, files, diffs: diff.files, head, base }, signal)
}
