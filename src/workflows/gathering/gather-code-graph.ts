// Gathers the code around a change from git alone, for a review without a database.
import type { ReviewContext } from '../../context.ts'
import type { Change } from '../../domain/change.ts'
import type { ChangeGraph } from '../../domain/change-graph.ts'
import { createCodeCache } from '../../knowledge/change/code-cache.ts'
import { createFallbacks } from '../../knowledge/change/fallbacks.ts'
import { readCodeOfChange } from '../../knowledge/change/read-code-of-change.ts'

/** After this time, the review continues without the parts that aren't ready. */
const deadlineMs = 5_000

/** Never fails a review: parts that can't be read are left out, with a note. */
export async function gatherCodeGraph(
  { syntax, log }: Pick<ReviewContext, 'syntax' | 'log'>,
  { diff, files, head, base }: Change,
  signal: AbortSignal,
): Promise<ChangeGraph> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)])
  const fallbacks = createFallbacks(log, deadline)
  const context = { ...fallbacks, syntax, codeCache: createCodeCache() }
  const changed = { files, diffs: diff.files, head, base }
  const code = await readCodeOfChange(context, changed, Promise.resolve(null), deadline)
  signal.throwIfAborted()
  const notes = [...code.notes, ...fallbacks.notes]
  return { ...code, history: [], related: [], memories: [], notes }
}
