// Tokens, cost, and the budget that is asked before each call of a model.
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

/** Cost of one call in US dollars; null where the price isn't known. */
export function costOf(tokens: CallTokens, price: Price | null): number | null {
  if (price === null) return null
  const rates = price.long !== undefined && tokens.input > price.long.over ? price.long : price
  const fresh = Math.max(0, tokens.input - tokens.cacheRead - tokens.cacheWrite)
  const millionths =
    fresh * rates.input +
    tokens.cacheRead * rates.cacheRead +
    tokens.cacheWrite * rates.cacheWrite +
    tokens.output * rates.output
  return millionths / 1_000_000
}

/** One call as usage. */
export function usageOf(tokens: CallTokens, price: Price | null): Usage {
  return {
    calls: 1,
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    cachedInputTokens: tokens.cacheRead,
    costUsd: costOf(tokens, price),
  }
}

/** Sum of two usages; its cost is unknown as soon as one of them is. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
  }
}

/** What one model was used for. */
export interface ModelUse {
  /** The model's name. */
  readonly model: string
  readonly usage: Usage
}

/**
 * The money of one review, shared by all that call models for it. Calls of unknown price are counted as usage but
 * not as money: a budget can't hold them back.
 */
export interface Budget {
  /** What was used through this object. */
  readonly usage: Usage
  /** The same by model, in the order of their first call. */
  readonly uses: readonly ModelUse[]
  /** The part of its cost whose price is known, in US dollars. */
  readonly knownCostUsd: number
  /** US dollars left under the tighter limit, not below 0; Infinity without a limit. */
  remainingUsd(): Promise<number>
  /**
   * Sets money aside for one call until the result is disposed of; to be called before each call. While others are
   * under way that may use up what is left, it waits for them: calls side by side go over a limit no further than one
   * alone. Throws `ModelError` of code `model_budget_spent` when nothing is left.
   *
   * @param atMostUsd what the call may cost, in US dollars
   */
  reserve(atMostUsd: number, signal?: AbortSignal): Promise<Disposable>
  /** Counts what a model was used for. */
  add(usage: Usage, model: string): void
  /**
   * A part that counts its own usage, for one reviewer or one call; what it uses counts here too.
   *
   * @param sharers of how many such parts side by side it is one: `remainingUsd` is then its share of what is left
   */
  createShare(sharers?: number): Budget
}

export interface BudgetLimits {
  readonly perReviewUsd: number | null
  readonly perDayUsd: number | null
  /** For all reviews of the same owner. */
  readonly perOwnerDayUsd?: number | null
  /** What earlier tries of this review cost, in US dollars; they count against the review, and in `spentTodayUsd`. */
  readonly spentBeforeUsd?: number
  /** What all other reviews cost today, in US dollars. Asked before each call. */
  readonly spentTodayUsd: () => Promise<number>
  /** The same of other reviews of the owner. */
  readonly ownerSpentTodayUsd?: () => Promise<number>
}

/** Makes the budget of one review. */
export function createBudget(limits: BudgetLimits): Budget {
  let spentUsd = 0
  const reserved = new Set<{ readonly usd: number }>()
  const releases = new EventTarget()
  setMaxListeners(0, releases)
  const remainders = async () => {
    const [othersUsd = 0, ownersUsd = 0] = await Promise.all([
      hasLimit(limits.perDayUsd) ? limits.spentTodayUsd() : 0,
      hasLimit(limits.perOwnerDayUsd) ? limits.ownerSpentTodayUsd?.() : 0,
    ])
    // Nothing may be waited for from here on: what is spent meanwhile would be missing from one of the two.
    return [
      {
        left: (limits.perReviewUsd ?? Infinity) - (limits.spentBeforeUsd ?? 0) - spentUsd,
        scope: `for one review (${formatDollars(limits.perReviewUsd)})`,
      },
      {
        left: (limits.perDayUsd ?? Infinity) - othersUsd - spentUsd,
        scope: `for one day (${formatDollars(limits.perDayUsd)})`,
      },
      {
        left: (limits.perOwnerDayUsd ?? Infinity) - ownersUsd - spentUsd,
        scope: `for one day of one owner (${formatDollars(limits.perOwnerDayUsd)})`,
      },
    ]
  }
  const reserve = async (atMostUsd: number, signal?: AbortSignal): Promise<Disposable> => {
    for (;;) {
      const scopes = await remainders()
      const empty = scopes.find(({ left }) => left <= 0)
      if (empty) throw budgetSpentError(empty.scope)
      const underWay = [...reserved].reduce((sum, { usd }) => sum + usd, 0)
      if (reserved.size === 0 || smallestRemainder(scopes) - underWay >= atMostUsd) break
      await once(releases, 'release', { signal })
    }
    const reservation = { usd: atMostUsd }
    reserved.add(reservation)
    return {
      [Symbol.dispose]: () => {
        if (reserved.delete(reservation)) releases.dispatchEvent(new Event('release'))
      },
    }
  }
  const remainingUsd = async () => Math.max(0, smallestRemainder(await remainders()))
  return createPart({ remainingUsd, reserve }, (usage) => {
    spentUsd += usage.costUsd ?? 0
  })
}

function hasLimit(limit: number | null | undefined): boolean {
  return limit !== null && limit !== undefined
}

function smallestRemainder(scopes: readonly { readonly left: number }[]): number {
  return Math.min(...scopes.map(({ left }) => left))
}

/** A budget without limits that only counts. */
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

function budgetSpentError(which: string): ModelError {
  return new ModelError('model_budget_spent', `The model budget ${which} is spent.`)
}

function formatDollars(amount: number | null | undefined): string {
  return `$${(amount ?? 0).toFixed(2)}`
}
