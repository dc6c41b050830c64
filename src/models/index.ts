// Chooses the models by configuration.
import type { ModelChoice } from '../config/config.ts'
import { ModelError, type ModelErrorCode } from '../domain/errors.ts'
import { noMetrics } from '../metrics/metrics.ts'
import { defaultTiming, type Route, type Timing } from './call-model.ts'
import { generate } from './generate.ts'
import { createIdleFetch } from './idle-fetch.ts'
import type { GenerateRequest, Model, Models } from './model.ts'
import { priceOf } from './prices.ts'
import { createProviderModel, traitsOf } from './providers.ts'
import { type CallRecorder, type ModelMetrics, recordCalls } from './record-calls.ts'
import { createUnlimitedBudget } from './spend.ts'

export type { ModelChoice } from '../config/config.ts'
export { createEmbedder, type Embedder, type EmbedRequest } from './embedder.ts'
export type * from './model.ts'
export { parseModelName } from './model-name.ts'
export { describeProblems, generateObject, requestRepair } from './repair.ts'
export {
  addUsage,
  type Budget,
  type BudgetLimits,
  createBudget,
  createUnlimitedBudget,
  type ModelUse,
} from './spend.ts'

export interface ModelsConfig {
  readonly main: ModelChoice | null
  /** Also the fallback of `main`. */
  readonly fast: ModelChoice | null
  /** How long to wait for what; `defaultTiming` where left out. */
  readonly timing?: Partial<Timing>
}

/** Makes the configured models. Nothing is asked over the network yet, and no key is checked. */
export function createModels(config: ModelsConfig, metrics: ModelMetrics = noMetrics): Models {
  const timing = { ...defaultTiming, ...config.timing }
  const main = config.main === null ? null : createRoute(config.main, timing, recordCalls(metrics, 'main'))
  const other =
    config.fast === null || isSame(config.main, config.fast)
      ? null
      : createRoute(config.fast, timing, recordCalls(metrics, 'fast'))
  return {
    main: main === null ? null : createModel(other === null ? [main] : [main, other], timing),
    fast: other !== null ? createModel([other], timing) : main !== null ? createModel([main], timing) : null,
  }
}

function isSame(a: ModelChoice | null, b: ModelChoice): boolean {
  return a !== null && a.provider === b.provider && a.id === b.id && a.baseUrl === b.baseUrl
}

function createRoute(choice: ModelChoice, timing: Timing, calls: CallRecorder): Route {
  return {
    name: `${choice.provider}:${choice.id}`,
    model: createProviderModel(choice, createIdleFetch(timing.idleTimeoutMs)),
    traits: traitsOf(choice),
    price: priceOf(choice),
    secrets: choice.apiKey === null ? [] : [choice.apiKey],
    learned: { refusesSchema: false },
    calls,
  }
}

function createModel(routes: readonly Route[], timing: Timing): Model {
  let refusal: ModelError | null = null
  const ask = async (request: GenerateRequest, signal: AbortSignal) => {
    try {
      return await generate(routes, timing, request, signal)
    } catch (error) {
      if (error instanceof ModelError && error.code === 'model_unauthorized') refusal = error
      throw error
    }
  }
  return {
    name: routes[0]!.name,
    priced: routes.every((route) => route.price !== null),
    async generate(request, signal) {
      if (refusal !== null) throw refusal
      return ask(request, signal)
    },
    async probe(signal) {
      try {
        await ask({ ...shortQuestion, budget: createUnlimitedBudget() }, signal)
      } catch (error) {
        signal.throwIfAborted()
        // It took the key, whatever it thought of the question.
        const isAnswer = error instanceof ModelError && tookKey.includes(error.code)
        if (!isAnswer) return false
      }
      refusal = null
      return true
    },
  }
}

const tookKey: readonly ModelErrorCode[] = ['model_invalid_output', 'model_refused']

const shortQuestion: Omit<GenerateRequest, 'budget'> = {
  system: 'Answer in one word.',
  prompt: 'Say: ready',
  limits: { steps: 1, outputTokens: 512, totalTokens: 10_000, timeMs: 30_000 },
}
