// Chooses the models by configuration.
import type { ModelChoice } from '../config/config.ts'
import { defaultTiming, type Route, type Timing } from './call-model.ts'
import { generate } from './generate.ts'
import { createIdleFetch } from './idle-fetch.ts'
import type { Model, Models } from './model.ts'
import { priceOf } from './prices.ts'
import { createProviderModel, traitsOf } from './providers.ts'

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
export function createModels(config: ModelsConfig): Models {
  const timing = { ...defaultTiming, ...config.timing }
  const main = config.main === null ? null : createRoute(config.main, timing)
  const other = config.fast === null || isSame(config.main, config.fast) ? null : createRoute(config.fast, timing)
  return {
    main: main === null ? null : createModel(other === null ? [main] : [main, other], timing),
    fast: other !== null ? createModel([other], timing) : main !== null ? createModel([main], timing) : null,
  }
}

function isSame(a: ModelChoice | null, b: ModelChoice): boolean {
  return a !== null && a.provider === b.provider && a.id === b.id && a.baseUrl === b.baseUrl
}

function createRoute(choice: ModelChoice, timing: Timing): Route {
  return {
    name: `${choice.provider}:${choice.id}`,
    model: createProviderModel(choice, createIdleFetch(timing.idleTimeoutMs)),
    traits: traitsOf(choice),
    price: priceOf(choice),
    secrets: choice.apiKey === null ? [] : [choice.apiKey],
    learned: { refusesSchema: false },
  }
}

function createModel(routes: readonly Route[], timing: Timing): Model {
  return {
    name: routes[0]!.name,
    priced: routes.every((route) => route.price !== null),
    generate: (request, signal) => generate(routes, timing, request, signal),
  }
}
