// Counts tokens and cost, and enforces the budget of a review before each call of a model.
import { randomUUID } from 'node:crypto'
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

/** Keeps account of the limits of one budget. Several processes may share them. */
export interface SpendLedger {
  /** Identifies what this budget has reserved. */
  readonly id: string
  /** Reserves an amount in US dollars, or returns why the limits don't cover it. */
  reserve(usd: number): Promise<LedgerEntry | Refusal>
  /** Returns what calls that ended have left of the tightest limit; Infinity without a limit. */
  remainingUsd(): Promise<number>
  /** Resolves when a reservation may have become possible. */
  waitForChange(signal: AbortSignal | undefined): Promise<void>
}

interface LedgerEntry {
  /** Replaces the reserved amount by the cost; null if it isn't known, so that all of it counts. */
  settle(costUsd: number | null): Promise<void>
}

interface Refusal {
  /** Names the limit, and how much it is. */
  readonly label: string
  readonly leftUsd: number
  /** Whether calls in progress may leave enough. */
  readonly mayChange: boolean
}

/** What counts toward one limit, in US dollars. */
export interface LimitState {
  readonly label: string
  readonly limitUsd: number
  /** The cost of calls that ended. */
  readonly spentUsd: number
  /** The maximum cost of calls in progress. */
  readonly heldUsd: number
}

/** Finds a limit that doesn't cover an amount; first one that calls in progress don't change. */
export function findRefusal(states: readonly LimitState[], usd: number): Refusal | undefined {
  const refusals = states
    .map(({ label, limitUsd, spentUsd, heldUsd }) => {
      const leftUsd = limitUsd - spentUsd
      return { label, leftUsd, mayChange: leftUsd >= usd, isRefused: leftUsd - heldUsd < usd }
    })
    .filter(({ isRefused }) => isRefused)
  return refusals.find(({ mayChange }) => !mayChange) ?? refusals[0]
}

export function remainingOf(states: readonly LimitState[]): number {
  return Math.max(0, Math.min(...states.map(({ limitUsd, spentUsd }) => limitUsd - spentUsd)))
}

/**
 * The budget of one review, shared by all its calls of models. Calls with an unknown price count
 * as usage only, so a budget can't limit them.
 */
export interface Budget {
  /** Identifies its reservations. */
  readonly id: string
  /** The usage that was added to this object and its shares. */
  readonly usage: Usage
  /** The usage by model, in the order of their first call. */
  readonly uses: readonly ModelUse[]
  /** The most that a call of this object or a share reserved, in US dollars. */
  readonly maxReservedUsd: number
  /** Returns what is left of the tightest limit in US dollars; Infinity without a limit. */
  remainingUsd(): Promise<number>
  /**
   * Reserves the maximum cost of one call. It waits while calls in progress may use the rest, so
   * that no limit is exceeded. Throws `ModelError` with code `model_budget_spent` when a limit
   * doesn't cover the call.
   *
   * @param maxCostUsd in US dollars; 0 if the price is unknown
   */
  reserve(maxCostUsd: number, signal?: AbortSignal): Promise<Reservation>
  add(usage: Usage, model: string): void
  /**
   * Makes a budget for one reviewer or call, which counts its own usage and adds it here too.
   *
   * @param sharers number of concurrent shares; `remainingUsd` of each is divided by it
   */
  createShare(sharers?: number): Budget
}

/** If it is disposed of before it is settled, the whole amount counts as spent. */
export interface Reservation extends AsyncDisposable {
  /** Says what the call cost in US dollars. */
  settle(costUsd: number): void
}

/** The ledger could not be read or written; `cause` says why. No model was asked. */
export class LedgerError extends Error {}

/** Makes the budget of one review. */
export function createBudget(ledger: SpendLedger): Budget {
  const reserve = async (maxCostUsd: number, signal?: AbortSignal): Promise<Reservation> => {
    if (maxCostUsd === 0) return freeReservation
    for (;;) {
      const result = await ledger.reserve(maxCostUsd).catch((error: unknown) => {
        throw new LedgerError('The ledger of model spend failed', { cause: error })
      })
      if ('settle' in result) return createReservation(result)
      if (!result.mayChange) throw budgetSpentError(result, maxCostUsd)
      await ledger.waitForChange(signal)
    }
  }
  return createPart({ id: ledger.id, remainingUsd: ledger.remainingUsd, reserve })
}

const freeReservation: Reservation = { settle: () => {}, [Symbol.asyncDispose]: async () => {} }

function createReservation(entry: LedgerEntry): Reservation {
  let settledUsd: number | null = null
  return {
    settle: (costUsd) => {
      settledUsd = costUsd
    },
    async [Symbol.asyncDispose]() {
      const settle = () => entry.settle(settledUsd)
      // An entry that stays open counts with its maximum. The answer must not be paid for again.
      await settle()
        .catch(settle)
        .catch(() => undefined)
    },
  }
}

interface BudgetLimits {
  readonly perReviewUsd: number | null
  readonly perDayUsd: number | null
  /** Returns what others spent today, in US dollars. */
  readonly spentTodayUsd?: () => number
}

/** Makes a budget whose limits no other process shares. */
export function createLocalBudget(limits: BudgetLimits): Budget {
  const { perReviewUsd, perDayUsd, spentTodayUsd = () => 0 } = limits
  let spentUsd = 0
  const held = new Set<{ readonly usd: number }>()
  const changes = new EventTarget()
  setMaxListeners(0, changes)
  const readStates = () => {
    const heldUsd = [...held].reduce((sum, { usd }) => sum + usd, 0)
    const all = spentUsd + spentTodayUsd()
    return [
      ...describeLimit('for one review', perReviewUsd, { spentUsd, heldUsd }),
      ...describeLimit('for one day', perDayUsd, { spentUsd: all, heldUsd }),
    ]
  }
  return createBudget({
    id: randomUUID(),
    reserve: async (usd) => {
      const refusal = findRefusal(readStates(), usd)
      if (refusal !== undefined) return refusal
      const entry = { usd }
      held.add(entry)
      return {
        settle: async (costUsd) => {
          held.delete(entry)
          spentUsd += costUsd ?? usd
          changes.dispatchEvent(new Event('change'))
        },
      }
    },
    remainingUsd: async () => remainingOf(readStates()),
    waitForChange: async (signal) => {
      await once(changes, 'change', { signal })
    },
  })
}

/** Lists the state of a limit, if there is one. */
export function describeLimit(
  name: string,
  limitUsd: number | null,
  spend: Pick<LimitState, 'spentUsd' | 'heldUsd'>,
): LimitState[] {
  if (limitUsd === null) return []
  return [{ label: `${name} ($${limitUsd.toFixed(2)})`, limitUsd, ...spend }]
}

/** Makes a budget without limits that only counts. */
export function createUnlimitedBudget(): Budget {
  return createLocalBudget({ perReviewUsd: null, perDayUsd: null })
}

function createPart(
  limits: Pick<Budget, 'id' | 'remainingUsd' | 'reserve'>,
  count: Budget['add'] = () => {},
  countReserved: (usd: number) => void = () => {},
): Budget {
  const uses = new Map<string, Usage>()
  let maxReservedUsd = 0
  const add = (usage: Usage, model: string) => {
    uses.set(model, addUsage(uses.get(model) ?? noUsage, usage))
    count(usage, model)
  }
  const addReserved = (usd: number) => {
    maxReservedUsd = Math.max(maxReservedUsd, usd)
    countReserved(usd)
  }
  return {
    ...limits,
    get usage() {
      return [...uses.values()].reduce(addUsage, noUsage)
    },
    get uses() {
      return [...uses].map(([model, usage]) => ({ model, usage }))
    },
    get maxReservedUsd() {
      return maxReservedUsd
    },
    reserve: (usd, signal) => {
      addReserved(usd)
      return limits.reserve(usd, signal)
    },
    add,
    createShare: (sharers = 1) =>
      createPart(
        { ...limits, remainingUsd: async () => (await limits.remainingUsd()) / sharers },
        add,
        addReserved,
      ),
  }
}

function budgetSpentError({ label, leftUsd }: Refusal, neededUsd: number): ModelError {
  const message =
    leftUsd <= 0
      ? `The model budget ${label} is spent.`
      : `The model budget ${label} doesn't cover the next call: it may cost ` +
        `$${neededUsd.toFixed(2)}, and $${leftUsd.toFixed(2)} is left.`
  return new ModelError('model_budget_spent', message)
}
