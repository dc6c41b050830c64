// Checks the configured models with one tiny prompt each.
import type { Config } from '../../context.ts'
import { ModelError } from '../../domain/errors.ts'
import type { Model, ModelConfig } from '../../models/index.ts'
import { limitRound } from '../limit-round.ts'
import { explainError, type Observation, ok, warning } from './check.ts'

/** Checks that each model answers, accepts the key, and that its price is known to a budget. */
export async function checkModels(
  { models, review }: Pick<Config, 'models' | 'review'>,
  signal: AbortSignal,
): Promise<readonly Observation[]> {
  const { main, fast, budget } = models
  if (main === null)
    return [ok('No MODEL is set: only the built-in rules review, and no code is sent to a model.')]
  const choices = fast === null ? [main] : [main, fast]
  const limits = { budget, contextTokens: review.contextTokens }
  return Promise.all(choices.map((choice) => checkModel(choice, limits, signal)))
}

async function checkModel(
  choice: ModelConfig,
  { budget, contextTokens }: { budget: Config['models']['budget']; contextTokens: number },
  signal: AbortSignal,
): Promise<Observation> {
  // Model clients load slowly, so they are imported only if a model is configured.
  const models = await import('../../models/index.ts')
  const { main: model } = models.createModels({ main: choice, fast: null, timing: { retries: 0 } })
  if (model === null) throw new Error('a configured model was not made')
  const question = { ...models.probeRequest, budget: models.createUnlimitedBudget() }
  const answered = await checkAnswer(
    model,
    { budget, address: 'MODEL_BASE_URL', signal },
    async () => {
      await model.generate(question, signal).catch((error) => {
        if (!models.acceptsKey(error)) throw error
      })
      return `${model.name} answers.`
    },
  )
  // Now the server has loaded the model.
  const window = answered.state === 'ok' ? await model.readContextWindow(signal) : null
  if (window === null || limitRound(contextTokens, window) === contextTokens) return answered
  return warning(
    `${answered.message} Its context window has ${window} tokens, so a round of a review has ` +
      `${limitRound(contextTokens, window)} and not the ${contextTokens} of REVIEW_CONTEXT_TOKENS.`,
    `Give the model at least ${2 * contextTokens} tokens at its server, such as with ` +
      'OLLAMA_CONTEXT_LENGTH, or with --max-model-len of vLLM.',
  )
}

/**
 * Checks that a model answers, and that its price is known if there is a budget.
 *
 * @param options.address the environment variable with the provider's address
 * @param ask asks the model, and returns what to report if that succeeds
 */
export async function checkAnswer(
  { name, priced }: Pick<Model, 'name' | 'priced'>,
  options: { budget: Config['models']['budget']; address: string; signal: AbortSignal },
  ask: () => Promise<string>,
): Promise<Observation> {
  const { budget, address, signal } = options
  try {
    const message = await ask()
    const isLimited = Object.values(budget).some((limit) => limit !== null)
    if (priced || !isLimited) return ok(message)
    return warning(
      `${name} answers, but its price is unknown: the budget can't limit it.`,
      'Choose a model with a known price, or set a limit at its provider.',
    )
  } catch (error) {
    signal.throwIfAborted()
    const remedy =
      error instanceof ModelError ? remedies[error.code]?.replace('ADDRESS', address) : undefined
    const observation = explainError(error, remedy)
    return { ...observation, message: `${name}: ${observation.message}` }
  }
}

const remedies: Readonly<Record<string, string>> = {
  model_unauthorized:
    "Check the key and the credit at the provider, and set the provider's key variable again.",
  model_misconfigured: 'Check the name of the model, and ADDRESS if it is set.',
  model_rate_limited: 'Wait, or increase the limit at the provider.',
  model_unavailable: 'Check that this machine can connect to it, and ADDRESS if it is set.',
}
