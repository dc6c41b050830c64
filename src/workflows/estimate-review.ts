// Estimates what a review costs before a model is asked.
import type { ReviewContext } from '../context.ts'
import type { Change } from '../domain/change.ts'
import { type CallTokens, costOf } from '../models/budget.ts'
import { chooseModels } from '../models/choose-models.ts'
import { listSpecialistModels } from '../reviewers/parallel-reviewer.ts'
import { reviewInstructions } from '../reviewers/prompts/review-prompt.ts'
import { chooseModel, packForModel } from './examine-change.ts'
import { loadTokenCounter } from './pack-context.ts'

interface ReviewEstimate {
  /** Names the models that are asked first. */
  readonly models: readonly string[]
  /** The first call of each round, by each reviewer. */
  readonly calls: number
  readonly inputTokens: number
  /** With short answers and without tools, in US dollars; null if a price is unknown. */
  readonly costUsd: number | null
}

/** Tokens of the descriptions of tools, which each call contains. */
const toolTokens = 1_400
/** Tokens of a short answer. */
const answerTokens = 1_000

/** Packs the context as a review does. Resolves to null if no model would be asked. */
export async function estimateReview(
  ctx: ReviewContext,
  change: Change,
  signal: AbortSignal,
): Promise<ReviewEstimate | null> {
  const model = chooseModel(ctx, change)
  if (model === null || change.files.length === 0) return null
  const { rounds } = await packForModel(ctx, { change, model, selection: null }, signal)
  const countTokens = await loadTokenCounter()
  const fixedTokens = countTokens(reviewInstructions(change.settings.language)) + toolTokens
  const inputs = rounds.map(({ spans }) =>
    spans.reduce((sum, { text }) => sum + countTokens(text), fixedTokens),
  )
  const { main, fast } = chooseModels(ctx.models, change)
  const isParallel = (change.settings.mode ?? ctx.config.review.mode) === 'parallel'
  const reviewers = isParallel ? listSpecialistModels({ main: main!, fast: fast! }) : [main!]
  const costs = reviewers.flatMap(({ price }) =>
    inputs.map((input) => costOf(describeCall(input), price)),
  )
  return {
    models: [...new Set(reviewers.map(({ name }) => name))],
    calls: costs.length,
    inputTokens: inputs.reduce((sum, input) => sum + input, 0) * reviewers.length,
    costUsd: costs.includes(null) ? null : costs.reduce<number>((sum, usd) => sum + usd!, 0),
  }
}

const describeCall = (input: number): CallTokens => ({
  ...{ input, cacheRead: 0, cacheWrite: input, output: answerTokens },
})
