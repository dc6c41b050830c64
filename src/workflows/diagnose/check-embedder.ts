// Checks the configured embedder by embedding one short text.
import type { Config } from '../../context.ts'
import { type Observation, ok, warning } from './check.ts'
import { checkAnswer } from './check-models.ts'

const timeMs = 30_000

/** Checks that the embedder answers, accepts the key, and that its price is known to a budget. */
export async function checkEmbedder(
  { models, memory }: Config,
  signal: AbortSignal,
): Promise<Observation> {
  const { embedder: config, budget } = models
  if (config === null) return ok('No EMBEDDING_MODEL is set: memories are found by words alone.')
  if (!memory) return warning('EMBEDDING_MODEL is set, but has no effect: MEMORY is off.')
  // Model clients load slowly, so they are imported only if an embedder is configured.
  const { createEmbedder, createUnlimitedBudget } = await import('../../models/index.ts')
  const embedder = createEmbedder(config, { retries: 0 })
  const request = {
    texts: ['ready'],
    purpose: 'query',
    timeMs,
    budget: createUnlimitedBudget(),
  } as const
  return checkAnswer(embedder, { budget, address: 'EMBEDDING_BASE_URL', signal }, async () => {
    const { vectors } = await embedder.embed(request, signal)
    return `${embedder.name} answers, with vectors of ${vectors[0]?.length} dimensions.`
  })
}
