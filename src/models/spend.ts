// Tokens, cost, and the budget that is asked before each call of a model.
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

/**
 * The money of one review, shared by all that call models for it. Calls of unknown price are counted as usage but
 * not as money: a budget can't hold them back.
 */
export interface Budget {
  /** What was used through this object. */
  readonly usage: Usage
  /** The part of its cost whose price is known, in US dollars. */
  readonly knownCostUsd: number
  /** US dollars left under the tighter limit, not below 0; Infinity without a limit. */
  remainingUsd(): Promise<number>
  /** Throws `ModelError` of code `model_budget_spent` when nothing is left. To be called before each call. */
  check(): Promise<void>
  add(usage: Usage): void
  /** A part that counts its own usage, for one reviewer or one call; what it uses counts here too. */
  part(): Budget
}

export interface BudgetLimits {
  readonly perReviewUsd: number | null
  readonly perDayUsd: number | null
  /** What earlier tries of this review cost, in US dollars; they count against the review, and in `spentTodayUsd`. */
  readonly spentBeforeUsd?: number
  /** What all other reviews cost today, in US dollars. Asked before each call. */
  readonly spentTodayUsd: () => Promise<number>
}

/** Makes the budget of one review. */
export function createBudget(limits: BudgetLimits): Budget {
  let spentUsd = 0
  const count = (usage: Usage) => {
    spentUsd += usage.costUsd ?? 0
  }
  const remainders = async () => {
    const ofReview =
      limits.perReviewUsd === null ? Infinity : limits.perReviewUsd - (limits.spentBeforeUsd ?? 0) - spentUsd
    const ofDay = limits.perDayUsd === null ? Infinity : limits.perDayUsd - (await limits.spentTodayUsd()) - spentUsd
    return { ofReview, ofDay }
  }
  return createPart(
    {
      remainingUsd: async () => {
        const { ofReview, ofDay } = await remainders()
        return Math.max(0, Math.min(ofReview, ofDay))
      },
      check: async () => {
        const { ofReview, ofDay } = await remainders()
        if (ofReview <= 0) throw spent(`for one review (${dollars(limits.perReviewUsd)})`)
        if (ofDay <= 0) throw spent(`for one day (${dollars(limits.perDayUsd)})`)
      },
    },
    count,
  )
}

/** A budget without limits that only counts. */
export function createUnlimitedBudget(): Budget {
  return createBudget({ perReviewUsd: null, perDayUsd: null, spentTodayUsd: async () => 0 })
}

function createPart(limits: Pick<Budget, 'remainingUsd' | 'check'>, count: (usage: Usage) => void): Budget {
  let total = noUsage
  let knownCostUsd = 0
  const add = (usage: Usage) => {
    total = addUsage(total, usage)
    knownCostUsd += usage.costUsd ?? 0
    count(usage)
  }
  return {
    ...limits,
    get usage() {
      return total
    },
    get knownCostUsd() {
      return knownCostUsd
    },
    add,
    part: () => createPart(limits, add),
  }
}

function spent(which: string): ModelError {
  return new ModelError('model_budget_spent', `The model budget ${which} is spent.`)
}

function dollars(amount: number | null): string {
  return `$${(amount ?? 0).toFixed(2)}`
}
