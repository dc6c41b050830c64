// Checks the configured embedder: one short text.
import type { Config } from '../../config/config.ts'
import { type Observation, ok, warning } from './check.ts'
import { explainModelError, isLimited, unpricedRemedy } from './check-models.ts'

const timeMs = 30_000

/** Whether it is there and takes the key, and whether a budget can hold it back. */
export async function checkEmbedder(
  { models, memory }: Config,
  signal: AbortSignal,
): Promise<Observation> {
  const { embedder: choice, budget } = models
  if (choice === null)
    return ok('No EMBEDDING_MODEL is set: memories are found by their words alone.')
  if (!memory) return warning('EMBEDDING_MODEL is set, but nothing is remembered: MEMORY is off.')
  // Its clients take long to load: only where there is one.
  const { createEmbedder, createUnlimitedBudget } = await import('../../models/index.ts')
  const embedder = createEmbedder(choice, { retries: 0 })
  try {
    const request = {
      texts: ['ready'],
      purpose: 'query',
      timeMs,
      budget: createUnlimitedBudget(),
    } as const
    const { vectors } = await embedder.embed(request, signal)
    if (isLimited(budget) && !embedder.priced) {
      return warning(
        `${embedder.name} answers, but its price is not known: the budget can't hold it back.`,
        unpricedRemedy,
      )
    }
    return ok(`${embedder.name} answers, with vectors of ${vectors[0]?.length} dimensions.`)
  } catch (error) {
    signal.throwIfAborted()
    return explainModelError(embedder.name, error, 'EMBEDDING_BASE_URL')
  }
}
