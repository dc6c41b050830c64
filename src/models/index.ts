// Creates the configured models, with the fallback from the main to the fast model.
import { isDeepStrictEqual } from 'node:util'
import { ModelError } from '../domain/errors.ts'
import { noMetrics } from '../metrics/metrics.ts'
import { createUnlimitedBudget } from './budget.ts'
import { type CallTiming, defaultCallTiming, type ModelRoute } from './call-model.ts'
import { createContextWindowReader } from './context-window.ts'
import { generate } from './generate.ts'
import { createIdleFetch } from './idle-fetch.ts'
import type { GenerateRequest, Model, Models } from './model.ts'
import type { ModelConfig, ModelsConfig } from './models-config.ts'
import { priceOf } from './prices.ts'
import { createProviderModel } from './provider-clients.ts'
import { providers } from './providers.ts'
import {
  createModelCallRecorder,
  type ModelCallRecorder,
  type ModelMetrics,
} from './record-model-calls.ts'

export {
  type Budget,
  createBudget,
  createLocalBudget,
  createUnlimitedBudget,
  type ModelUse,
} from './budget.ts'
export { createEmbedder, type Embedder, type EmbedRequest } from './embedder.ts'
export type * from './model.ts'
export type { ModelConfig } from './models-config.ts'
export { describeProblems, generateObject, requestRepair } from './repair.ts'

export interface ModelsOptions extends Pick<ModelsConfig, 'main' | 'fast'> {
  /** Replaces values of `defaultCallTiming`. */
  readonly timing?: Partial<CallTiming>
}

/** Makes the configured models. It sends no request, so keys are not checked. */
export function createModels(config: ModelsOptions, metrics: ModelMetrics = noMetrics): Models {
  const timing = { ...defaultCallTiming, ...config.timing }
  const open = (role: 'main' | 'fast') =>
    config[role] && createRoute(config[role], timing, createModelCallRecorder(metrics, role))
  const mainRoute = open('main')
  const fastRoute = isDeepStrictEqual(config.main, config.fast) ? null : open('fast')
  const fallbacks = fastRoute === null ? [] : [fastRoute]
  const main = mainRoute && createModel([mainRoute, ...fallbacks], timing)
  return { main, fast: fastRoute === null ? main : createModel([fastRoute], timing) }
}

function createRoute(
  choice: ModelConfig,
  timing: CallTiming,
  calls: ModelCallRecorder,
): ModelRoute {
  return {
    name: `${choice.provider}:${choice.id}`,
    model: createProviderModel(choice, createIdleFetch(timing.idleTimeoutMs)),
    traits: providers[choice.provider].traits,
    price: priceOf(choice),
    secrets: choice.apiKey === null ? [] : [choice.apiKey],
    observed: { refusesSchema: false, refusal: null },
    calls,
    readContextWindow: createContextWindowReader(choice),
  }
}

function createModel(routes: readonly [ModelRoute, ...ModelRoute[]], timing: CallTiming): Model {
  const [route, ...others] = routes
  const { observed } = route
  const send = async (request: GenerateRequest, signal: AbortSignal) => {
    const fallbacks = others.filter((other) => other.observed.refusal === null)
    const fitting = limitOutput(request, await route.readContextWindow(signal))
    return generate([route, ...fallbacks], timing, fitting, signal)
  }
  const probe = async (signal: AbortSignal) => {
    try {
      await send({ ...probeRequest, budget: createUnlimitedBudget() }, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (isUnauthorized(error)) observed.refusal = error
      if (!acceptsKey(error)) return false
      observed.refusal = null
    }
    // The fallback may have answered instead, so the answer alone proves nothing.
    return observed.refusal === null
  }
  return {
    name: route.name,
    readContextWindow: route.readContextWindow,
    price: route.price,
    priced: routes.every(({ price }) => price !== null),
    get isRefusing() {
      return observed.refusal !== null
    },
    async generate(request, signal) {
      if (observed.refusal !== null) throw observed.refusal
      try {
        return await send(request, signal)
      } catch (error) {
        // The content of one pull request may cause the refusal, so a neutral prompt decides.
        if (isUnauthorized(error) && routes.every((each) => each.observed.refusal === null))
          await probe(signal)
        throw error
      }
    },
    probe,
  }
}

/** Servers refuse calls whose output limit leaves no room for the input. */
function limitOutput(request: GenerateRequest, window: number | null): GenerateRequest {
  if (window === null) return request
  const outputTokens = Math.min(request.limits.outputTokens, Math.floor(window / 4))
  return { ...request, limits: { ...request.limits, outputTokens } }
}

/** Whether the provider accepted the key, but not the content. */
export function acceptsKey(error: unknown): boolean {
  if (!(error instanceof ModelError)) return false
  return error.code === 'model_invalid_output' || error.code === 'model_refused'
}

function isUnauthorized(error: unknown): error is ModelError {
  return error instanceof ModelError && error.code === 'model_unauthorized'
}

/** Finds out whether a model answers. */
export const probeRequest: Omit<GenerateRequest, 'budget'> = {
  system: 'Answer in one word.',
  prompt: 'Say: ready',
  limits: { steps: 1, outputTokens: 512, totalTokens: 10_000, timeMs: 30_000 },
}
