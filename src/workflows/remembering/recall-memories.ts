// Searches memories by words, and by meaning if an embedder answers in time.
import { recordSpend } from '../../analytics/model-spend.ts'
import type { ServiceContext } from '../../context.ts'
import { ModelError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import type { MemoryQuery } from '../../knowledge/memory/memory-query.ts'
import { type FoundMemory, searchMemories } from '../../knowledge/memory/search-memories.ts'
import type { Embedding } from '../../knowledge/memory/vectors.ts'
import { readModelConsent } from '../../work/model-consent.ts'
import { openBackgroundBudget } from '../open-budget.ts'

/** A person may wait for the search. */
const embedderTimeoutMs = 2_000

type Context = Pick<ServiceContext, 'db' | 'embedder' | 'config' | 'log'>

/**
 * Returns the best matches, best first.
 *
 * @param signal aborts the call of the embedder: its reason is thrown
 */
export async function recallMemories(
  ctx: Context,
  repo: RepositoryName,
  query: MemoryQuery,
  signal: AbortSignal = new AbortController().signal,
): Promise<FoundMemory[]> {
  return searchMemories(ctx.db, repo, {
    ...query,
    embedding: await embedQuery(ctx, repo, query.text, signal),
  })
}

/** Returns null if models aren't allowed or the embedder fails. */
async function embedQuery(
  ctx: Context,
  repo: RepositoryName,
  queryText: string,
  signal: AbortSignal,
): Promise<Embedding | null> {
  const { db, embedder, log } = ctx
  if (embedder === null || queryText.trim() === '' || !(await readModelConsent(db, repo)))
    return null
  const budget = openBackgroundBudget(ctx, repo)
  try {
    const request = {
      texts: [queryText],
      purpose: 'query',
      timeMs: embedderTimeoutMs,
      budget,
    } as const
    const { vectors } = await embedder.embed(request, signal)
    return { embedder: embedder.name, vector: vectors[0] as readonly number[] }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    log.info(
      { repo, code: error.code, reason: error.message },
      'Memories are searched by words alone',
    )
    return null
  } finally {
    await recordSpend(db, { repo }, budget)
  }
}
