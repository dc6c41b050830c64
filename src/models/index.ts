// Chooses the models by configuration.
import type { ModelConfig } from '../config/config.ts'
import { ModelError, type ModelErrorCode } from '../domain/errors.ts'
import { noMetrics } from '../metrics/metrics.ts'
import { createUnlimitedBudget } from './budget.ts'
import { type CallTiming, defaultCallTiming, type ModelRoute } from './call-model.ts'
import { generate } from './generate.ts'
import { createIdleFetch } from './idle-fetch.ts'
import type { GenerateRequest, Model, Models } from './model.ts'
import { priceOf } from './prices.ts'
import { createProviderModel, traitsOf } from './providers.ts'
import {
  createModelCallRecorder,
  type ModelCallRecorder,
  type ModelMetrics,
} from './record-model-calls.ts'

export type { ModelConfig } from '../config/config.ts'
export {
  addUsage,
  type Budget,
  type BudgetLimits,
  createBudget,
  createUnlimitedBudget,
  type ModelUse,
} from './budget.ts'
export { createEmbedder, type Embedder, type EmbedRequest } from './embedder.ts'
export type * from './model.ts'
export { parseModelName } from './model-name.ts'
export { describeProblems, generateObject, requestRepair } from './repair.ts'

export interface ModelsConfig {
  readonly main: ModelConfig | null
  /** Also the fallback of `main`. */
  readonly fast: ModelConfig | null
  /** How long to wait for what; `defaultCallTiming` where left out. */
  readonly timing?: Partial<CallTiming>
}

/** Makes the configured models. Nothing is asked over the network yet, and no key is checked. */
export function createModels(config: ModelsConfig, metrics: ModelMetrics = noMetrics): Models {
  const timing = { ...defaultCallTiming, ...config.timing }
  const main =
    config.main === null
      ? null
      : createRoute(config.main, timing, createModelCallRecorder(metrics, 'main'))
  const other =
    config.fast === null || isSame(config.main, config.fast)
      ? null
      : createRoute(config.fast, timing, createModelCallRecorder(metrics, 'fast'))
  const mainModel =
    main === null ? null : createModel(other === null ? [main] : [main, other], timing)
  return { main: mainModel, fast: other === null ? mainModel : createModel([other], timing) }
}

function isSame(a: ModelConfig | null, b: ModelConfig): boolean {
  return (
    a !== null &&
    a.provider === b.provider &&
    a.id === b.id &&
    a.baseUrl === b.baseUrl &&
    a.apiKey === b.apiKey
  )
}

function createRoute(
  choice: ModelConfig,
  timing: CallTiming,
  calls: ModelCallRecorder,
): ModelRoute {
  return {
    name: `${choice.provider}:${choice.id}`,
    model: createProviderModel(choice, createIdleFetch(timing.idleTimeoutMs)),
    traits: traitsOf(choice),
    price: priceOf(choice),
    secrets: choice.apiKey === null ? [] : [choice.apiKey],
    observed: { refusesSchema: false, refusal: null },
    calls,
  }
}

function createModel(routes: readonly [ModelRoute, ...ModelRoute[]], timing: CallTiming): Model {
  const [route, ...others] = routes
  const { observed: learned } = route
  const ask = (request: GenerateRequest, signal: AbortSignal) => {
    const accepted = others.filter((other) => other.observed.refusal === null)
    return generate([route, ...accepted], timing, request, signal)
  }
  const probe = async (signal: AbortSignal) => {
    try {
      await ask({ ...probeRequest, budget: createUnlimitedBudget() }, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ModelError)) return false
      if (error.code === 'model_unauthorized') learned.refusal = error
      // It took the key, whatever it thought of the question.
      if (!keyAcceptedCodes.includes(error.code)) return false
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
        if (isUnauthorized && routes.every((each) => each.observed.refusal === null))
          await probe(signal)
        throw error
      }
    },
    probe,
  }
}

const keyAcceptedCodes: readonly ModelErrorCode[] = ['model_invalid_output', 'model_refused']

const probeRequest: Omit<GenerateRequest, 'budget'> = {
  system: 'Answer in one word.',
  prompt: 'Say: ready',
  limits: { steps: 1, outputTokens: 512, totalTokens: 10_000, timeMs: 30_000 },
}
