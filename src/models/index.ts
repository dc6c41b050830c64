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
  const main =
    config.main === null ? null : createRoute(config.main, timing, recordCalls(metrics, 'main'))
  const other =
    config.fast === null || isSame(config.main, config.fast)
      ? null
      : createRoute(config.fast, timing, recordCalls(metrics, 'fast'))
  const mainModel =
    main === null ? null : createModel(other === null ? [main] : [main, other], timing)
  return { main: mainModel, fast: other === null ? mainModel : createModel([other], timing) }
}

function isSame(a: ModelChoice | null, b: ModelChoice): boolean {
  return (
    a !== null &&
    a.provider === b.provider &&
    a.id === b.id &&
    a.baseUrl === b.baseUrl &&
    a.apiKey === b.apiKey
  )
}

function createRoute(choice: ModelChoice, timing: Timing, calls: CallRecorder): Route {
  return {
    name: `${choice.provider}:${choice.id}`,
    model: createProviderModel(choice, createIdleFetch(timing.idleTimeoutMs)),
    traits: traitsOf(choice),
    price: priceOf(choice),
    secrets: choice.apiKey === null ? [] : [choice.apiKey],
    learned: { refusesSchema: false, refusal: null },
    calls,
  }
}

function createModel(routes: readonly [Route, ...Route[]], timing: Timing): Model {
  const [route, ...others] = routes
  const { learned } = route
  const ask = (request: GenerateRequest, signal: AbortSignal) => {
    const accepted = others.filter((other) => other.learned.refusal === null)
    return generate([route, ...accepted], timing, request, signal)
  }
  const probe = async (signal: AbortSignal) => {
    try {
      await ask({ ...shortQuestion, budget: createUnlimitedBudget() }, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ModelError)) return false
      if (error.code === 'model_unauthorized') learned.refusal = error
      // It took the key, whatever it thought of the question.
      if (!tookKey.includes(error.code)) return false
      learned.refusal = null
    }
    // Another model may have answered in its place.
    return learned.refusal === null
  }
  return {
    name: route.name,
    priced: routes.every(({ price }) => price !== null),
    get isRefusing() {
      return learned.refusal !== null
    },
    async generate(request, signal) {
      if (learned.refusal !== null) throw learned.refusal
      try {
        return await ask(request, signal)
      } catch (error) {
        // What one pull request holds must not keep the model from the others: a question without it decides.
        const isUnauthorized = error instanceof ModelError && error.code === 'model_unauthorized'
        if (isUnauthorized && routes.every((each) => each.learned.refusal === null))
          await probe(signal)
        throw error
      }
    },
    probe,
  }
}

const tookKey: readonly ModelErrorCode[] = ['model_invalid_output', 'model_refused']

const shortQuestion: Omit<GenerateRequest, 'budget'> = {
  system: 'Answer in one word.',
  prompt: 'Say: ready',
  limits: { steps: 1, outputTokens: 512, totalTokens: 10_000, timeMs: 30_000 },
}
