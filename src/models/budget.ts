// Counts tokens and cost, and enforces the budget of a review before each call of a model.
import { once, setMaxListeners } from 'node:events'
import { ModelError } from '../domain/errors.ts'
import { noUsage, type Usage } from '../domain/review.ts'
import type { Price } from './prices.ts'

/** Tokens of one call. `input` includes the cached ones. */
export interface CallTokens {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

/** Computes the cost of one call in US dollars; null when the price is unknown. */
export function costOf(tokens: CallTokens, price: Price | null): number | null {
  if (price === null) return null
  const rates = price.long !== undefined && tokens.input > price.long.over ? price.long : price
  const uncached = Math.max(0, tokens.input - tokens.cacheRead - tokens.cacheWrite)
  const millionths =
    uncached * rates.input +
    tokens.cacheRead * rates.cacheRead +
    tokens.cacheWrite * rates.cacheWrite +
    tokens.output * rates.output
  return millionths / 1_000_000
}

/** Makes the usage that one call adds. */
export function usageOf(tokens: CallTokens, price: Price | null): Usage {
  return {
    calls: 1,
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    cachedInputTokens: tokens.cacheRead,
    costUsd: costOf(tokens, price),
  }
}

/** Adds two usages; the cost is unknown when one of them is. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
  }
}

export interface ModelUse {
  readonly model: string
  readonly usage: Usage
}

/**
 * The budget of one review, shared by all its calls of models. Calls with an unknown price count
 * as usage only, so a budget can't limit them.
 */
export interface Budget {
  /** The usage that was added to this object and its shares. */
  readonly usage: Usage
  /** The usage by model, in the order of their first call. */
  readonly uses: readonly ModelUse[]
  /** The cost in US dollars, without calls whose price is unknown. */
  readonly knownCostUsd: number
  /** Returns what is left of the tightest limit in US dollars; Infinity without a limit. */
  remainingUsd(): Promise<number>
  /**
   * Reserves the maximum cost of one call, until the result is disposed of. It waits while
   * concurrent calls may use the rest, so that together they exceed a limit by at most one call.
   * Throws `ModelError` with code `model_budget_spent` when nothing is left.
   *
   * @param maxCostUsd in US dollars
   */
  reserve(maxCostUsd: number, signal?: AbortSignal): Promise<Disposable>
  add(usage: Usage, model: string): void
  /**
   * Makes a budget for one reviewer or call, which counts its own usage and adds it here too.
   *
   * @param sharers number of concurrent shares; `remainingUsd` of each is divided by it
   */
  createShare(sharers?: number): Budget
}

export interface BudgetLimits {
  readonly perReviewUsd: number | null
  readonly perDayUsd: number | null
  /** Applies to all reviews of the same owner. */
  readonly perOwnerDayUsd?: number | null
  /** Is called for the cost of earlier attempts of this review, which today's includes too. */
  readonly spentBeforeUsd?: () => Promise<number>
  /** Is called before each model call, for the cost of all other reviews today in US dollars. */
  readonly spentTodayUsd: () => Promise<number>
  /** Is called for the cost of the owner's other reviews today in US dollars. */
  readonly ownerSpentTodayUsd?: () => Promise<number>
}

/** Makes the budget of one review. */
export function createBudget(limits: BudgetLimits): Budget {
  let spentUsd = 0
  const reserved = new Set<{ readonly usd: number }>()
  const releases = new EventTarget()
  setMaxListeners(0, releases)
  const { perReviewUsd, perDayUsd, perOwnerDayUsd, ownerSpentTodayUsd } = limits
  const readScopes = async () => {
    const scopes = await Promise.all([
      readScope('for one review', perReviewUsd, limits.spentBeforeUsd),
      readScope('for one day', perDayUsd, limits.spentTodayUsd),
      readScope('for one day of one owner', perOwnerDayUsd, ownerSpentTodayUsd),
    ])
    // There must be no `await` from here on, or cost that is added meanwhile would be missed.
    return scopes.map(({ label, leftUsd }) => ({ label, remainingUsd: leftUsd - spentUsd }))
  }
  const reserve = async (maxCostUsd: number, signal?: AbortSignal): Promise<Disposable> => {
    for (;;) {
      const scopes = await readScopes()
      const spent = scopes.find(({ remainingUsd }) => remainingUsd <= 0)
      if (spent) throw budgetSpentError(spent.label)
      const reservedUsd = [...reserved].reduce((sum, { usd }) => sum + usd, 0)
      if (reserved.size === 0 || minRemainingUsd(scopes) - reservedUsd >= maxCostUsd) break
      await once(releases, 'release', { signal })
    }
    const reservation = { usd: maxCostUsd }
    reserved.add(reservation)
    return {
      [Symbol.dispose]: () => {
        if (reserved.delete(reservation)) releases.dispatchEvent(new Event('release'))
      },
    }
  }
  const remainingUsd = async () => Math.max(0, minRemainingUsd(await readScopes()))
  return createPart({ remainingUsd, reserve }, (usage) => {
    spentUsd += usage.costUsd ?? 0
  })
}

/** Reads what others left of a limit in US dollars. */
async function readScope(
  name: string,
  limitUsd: number | null | undefined,
  readSpentUsd: (() => Promise<number>) | undefined,
): Promise<{ label: string; leftUsd: number }> {
  if (limitUsd === null || limitUsd === undefined) return { label: name, leftUsd: Infinity }
  const spentUsd = (await readSpentUsd?.()) ?? 0
  return { label: `${name} ($${limitUsd.toFixed(2)})`, leftUsd: limitUsd - spentUsd }
}

function minRemainingUsd(scopes: readonly { readonly remainingUsd: number }[]): number {
  return Math.min(...scopes.map(({ remainingUsd }) => remainingUsd))
}

/** Makes a budget without limits that only counts. */
export function createUnlimitedBudget(): Budget {
  return createBudget({ perReviewUsd: null, perDayUsd: null, spentTodayUsd: async () => 0 })
}

function createPart(
  limits: Pick<Budget, 'remainingUsd' | 'reserve'>,
  count: Budget['add'],
): Budget {
  const uses = new Map<string, Usage>()
  const add = (usage: Usage, model: string) => {
    uses.set(model, addUsage(uses.get(model) ?? noUsage, usage))
    count(usage, model)
  }
  return {
    ...limits,
    get usage() {
      return [...uses.values()].reduce(addUsage, noUsage)
    },
    get uses() {
      return [...uses].map(([model, usage]) => ({ model, usage }))
    },
    get knownCostUsd() {
      // A model's price is known for all of its calls or for none.
      return [...uses.values()].reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)
    },
    add,
    createShare: (sharers = 1) =>
      createPart(
        { ...limits, remainingUsd: async () => (await limits.remainingUsd()) / sharers },
        add,
      ),
  }
}

function budgetSpentError(label: string): ModelError {
  return new ModelError('model_budget_spent', `The model budget ${label} is spent.`)
}
