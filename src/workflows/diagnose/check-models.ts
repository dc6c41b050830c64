// Checks the configured models with one tiny prompt each.
import type { Config } from '../../context.ts'
import { ModelError } from '../../domain/errors.ts'
import type { ModelConfig } from '../../models/index.ts'
import { explainError, type Observation, ok, warning } from './check.ts'

const limits = { steps: 1, outputTokens: 512, totalTokens: 10_000, timeMs: 30_000 }

/** Checks that each model answers, accepts the key, and that its price is known to a budget. */
export async function checkModels(
  config: Config['models'],
  signal: AbortSignal,
): Promise<readonly Observation[]> {
  const { main, fast, budget } = config
  if (main === null)
    return [ok('No MODEL is set: only the built-in rules review, and no code is sent to a model.')]
  const hasBudget = isLimited(budget)
  const choices = fast === null ? [main] : [main, fast]
  return Promise.all(choices.map((choice) => checkModel(choice, hasBudget, signal)))
}

async function checkModel(
  choice: ModelConfig,
  hasBudget: boolean,
  signal: AbortSignal,
): Promise<Observation> {
  // Model clients load slowly, so they are imported only if a model is configured.
  const { createModels, createUnlimitedBudget } = await import('../../models/index.ts')
  const { main: model } = createModels({ main: choice, fast: null, timing: { retries: 0 } })
  if (model === null) throw new Error('a configured model was not made')
  try {
    const question = {
      system: 'Answer in one word.',
      prompt: 'Say: ready',
      limits,
      budget: createUnlimitedBudget(),
    }
    await model.generate(question, signal)
  } catch (error) {
    signal.throwIfAborted()
    const isAnswer = error instanceof ModelError && answerCodes.includes(error.code)
    if (!isAnswer) return explainModelError(model.name, error, 'MODEL_BASE_URL')
  }
  if (hasBudget && !model.priced) {
    return warning(
      `${model.name} answers, but its price is unknown: the budget can't limit it.`,
      unpricedRemedy,
    )
  }
  return ok(`${model.name} answers.`)
}

/** Whether any budget is set. */
export function isLimited(budget: Config['models']['budget']): boolean {
  return Object.values(budget).some((limit) => limit !== null)
}

/** With these codes the model answered, so the key works. */
const answerCodes = ['model_invalid_output', 'model_refused']

/** It applies to models without a known price. */
export const unpricedRemedy = 'Choose a model with a known price, or set a limit at its provider.'

/**
 * Explains why a model didn't answer.
 *
 * @param address the environment variable with the provider's address
 */
export function explainModelError(name: string, error: unknown, address: string): Observation {
  const remedy =
    error instanceof ModelError ? remedies[error.code]?.replace('ADDRESS', address) : undefined
  const observation = explainError(error, remedy)
  return { ...observation, message: `${name}: ${observation.message}` }
}

const remedies: Readonly<Record<string, string>> = {
  model_unauthorized:
    "Check the key and the credit at the provider, and set the provider's key variable again.",
  model_misconfigured: 'Check the name of the model, and ADDRESS if it is set.',
  model_rate_limited: 'Wait, or increase the limit at the provider.',
  model_unavailable: 'Check that this machine can connect to it, and ADDRESS if it is set.',
}
