// Checks the configured models: one tiny question to each.
import type { Config, ModelConfig } from '../../config/config.ts'
import { ModelError } from '../../domain/errors.ts'
import { explainError, type Observation, ok, warning } from './check.ts'

const limits = { steps: 1, outputTokens: 512, totalTokens: 10_000, timeMs: 30_000 }

/** Whether each is there and takes the key, and whether a budget can hold it back. */
export async function checkModels(
  config: Config['models'],
  signal: AbortSignal,
): Promise<readonly Observation[]> {
  const { main, fast, budget } = config
  if (main === null)
    return [
      ok('No MODEL is set: the built-in rules review alone, and no code is shown to a model.'),
    ]
  const hasBudget = isLimited(budget)
  const choices = fast === null ? [main] : [main, fast]
  return Promise.all(choices.map((choice) => checkModel(choice, hasBudget, signal)))
}

async function checkModel(
  choice: ModelConfig,
  hasBudget: boolean,
  signal: AbortSignal,
): Promise<Observation> {
  // Its clients take long to load: only where there is a model.
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
    const isAnswer = error instanceof ModelError && answered.includes(error.code)
    if (!isAnswer) return explainModelError(model.name, error, 'MODEL_BASE_URL')
  }
  if (hasBudget && !model.priced) {
    return warning(
      `${model.name} answers, but its price is not known: the budget can't hold it back.`,
      unpricedRemedy,
    )
  }
  return ok(`${model.name} answers.`)
}

/** Whether any budget holds models back. */
export function isLimited(budget: Config['models']['budget']): boolean {
  return Object.values(budget).some((limit) => limit !== null)
}

/** It took the key, whatever it thought of the question. */
const answered = ['model_invalid_output', 'model_refused']

/** Of what a budget can't hold back. */
export const unpricedRemedy =
  'Choose a model of known price, or hold it back by a limit at its provider.'

/** What is wrong with a model that didn't answer; `address` is the variable that may name another one than its provider's. */
export function explainModelError(name: string, error: unknown, address: string): Observation {
  const remedy =
    error instanceof ModelError ? remedies[error.code]?.replace('ADDRESS', address) : undefined
  const observation = explainError(error, remedy)
  return { ...observation, message: `${name}: ${observation.message}` }
}

const remedies: Readonly<Record<string, string>> = {
  model_unauthorized:
    "Check the key at the provider, and the credit; set the provider's key variable anew.",
  model_misconfigured: 'Check the name of the model, and ADDRESS where it is set.',
  model_rate_limited: 'Wait, or raise the limit at the provider.',
  model_unavailable: 'Check that this machine may connect there, and ADDRESS where it is set.',
}
