// Computes what an evaluation shows, with confidence intervals.

import { noUsage, type Usage } from '../../domain/review.ts'
import { addUsage } from '../../models/budget.ts'
import { addAttention } from '../../reviewers/review-with-attention-check.ts'
import type { AttentionCount } from '../../reviewers/reviewer.ts'
import type { EvaluatedChange } from './evaluate-change.ts'

/** A share or a mean. */
export interface Estimate {
  /** It is null if there is nothing to count. */
  readonly value: number | null
  readonly count: number
  readonly of: number
  /** The 95% confidence interval, see `estimate`. */
  readonly low: number | null
  readonly high: number | null
}

export interface EvaluationSummary {
  readonly changes: number
  readonly incomplete: number
  /** Of the expected places, those that were found. */
  readonly recall: Estimate
  /** Of the findings in changes with expected places, those that are at one. */
  readonly precision: Estimate
  /** The same for findings on random changed lines of the same changes. */
  readonly chance: number | null
  /** Counts findings per clean change. */
  readonly falseAlarms: Estimate
  readonly attention: AttentionCount
  readonly usage: Usage
  readonly secondsMedian: number | null
  readonly secondsP90: number | null
}

export function summarizeEvaluation(changes: readonly EvaluatedChange[]): EvaluationSummary {
  const commented = changes.filter(({ found }) => found.length > 0)
  const clean = changes.filter(({ found }) => found.length === 0)
  const count = (values: readonly boolean[]) => values.filter((value) => value).length
  const findings = commented.reduce((sum, change) => sum + change.findings.length, 0)
  const byChance = commented.reduce((sum, each) => sum + each.chance * each.findings.length, 0)
  const seconds = changes.map((change) => change.seconds).toSorted((a, b) => a - b)
  return {
    changes: changes.length,
    incomplete: changes.filter(({ complete }) => !complete).length,
    recall: estimate(commented.map(({ found }) => [count(found), found.length])),
    precision: estimate(commented.map((each) => [count(each.findings), each.findings.length])),
    chance: findings === 0 ? null : byChance / findings,
    falseAlarms: estimate(clean.map((each) => [each.findings.length, 1])),
    attention: addAttention(changes.map(({ attention }) => attention)),
    usage: changes.map(({ usage }) => usage).reduce(addUsage, noUsage),
    secondsMedian: readQuantile(seconds, 0.5),
    secondsP90: readQuantile(seconds, 0.9),
  }
}

const resamples = 2_000

/**
 * Estimates a ratio with a percentile bootstrap over changes, because places of the same change
 * depend on each other (Efron and Tibshirani, An Introduction to the Bootstrap, chapter 13).
 *
 * @param parts the numerator and denominator of each change
 */
function estimate(parts: readonly (readonly [number, number])[]): Estimate {
  const add = (chosen: readonly (readonly [number, number])[]) =>
    chosen.reduce(([a, b], [count, of]) => [a + count, b + of], [0, 0] as const)
  const [count, of] = add(parts)
  if (of === 0) return { value: null, count, of, low: null, high: null }
  // Resampling can't vary a share of which nothing or everything is known.
  if (count === 0 || count === of) return { value: count / of, count, of, ...wilson(count, of) }
  const next = createRandom()
  const ratios = Array.from({ length: resamples }, () => {
    const [a, b] = add(parts.map(() => parts[Math.floor(next() * parts.length)]!))
    return b === 0 ? 0 : a / b
  }).sort((a, b) => a - b)
  const [low, high] = [readQuantile(ratios, 0.025), readQuantile(ratios, 0.975)]
  return { value: count / of, count, of, low, high }
}

/** Computes Wilson's score interval: https://doi.org/10.1080/01621459.1927.10502953 */
function wilson(count: number, of: number): { readonly low: number; readonly high: number } {
  const z = 1.96
  const center = (count + z ** 2 / 2) / (of + z ** 2)
  const half = (z * Math.sqrt((count * (of - count)) / of + z ** 2 / 4)) / (of + z ** 2)
  return { low: Math.max(0, center - half), high: Math.min(1, center + half) }
}

/** Makes mulberry32 with a fixed start, so that equal results have equal intervals. */
function createRandom(): () => number {
  let state = 1
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function readQuantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null
}
