// Reads the code around a change from git alone, for a review without a database.
import type { ChangeGraph } from '../../domain/change-graph.ts'
import type { Log } from '../../lib/logger.ts'
import type { CodeContext } from './code-context.ts'
import { createFallbacks } from './fallbacks.ts'
import { type ChangedCode, readCodeOfChange } from './read-code-of-change.ts'

/** After this time, the review continues without the parts that aren't ready. */
const deadlineMs = 5_000

/** Never fails a review: parts that can't be read are left out, with a note. */
export async function searchChangeGraph(
  { syntax, log }: Pick<CodeContext, 'syntax'> & { log: Log },
  change: ChangedCode,
  signal: AbortSignal,
): Promise<ChangeGraph> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)])
  const fallbacks = createFallbacks(log, deadline)
  const context = {
    ...fallbacks,
    syntax,
    codeCache: { fileIndexes: new Map(), fileBlobs: new Map() },
  }
  const code = await readCodeOfChange(context, change, Promise.resolve(null), deadline)
  signal.throwIfAborted()
  const notes = [...code.notes, ...fallbacks.notes]
  return { ...code, history: [], related: [], memories: [], notes }
}
