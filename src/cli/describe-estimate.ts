// Describes what a review would cost, for `umpire review --estimate`.
import type { ReviewContext } from '../context.ts'
import type { Change } from '../domain/change.ts'
import { formatCount, groupDigits } from '../lib/text.ts'
import { estimateReview } from '../workflows/estimate-review.ts'

export async function describeEstimate(
  ctx: ReviewContext,
  change: Change,
  signal: AbortSignal,
): Promise<string> {
  const estimate = await estimateReview(ctx, change, signal)
  if (estimate === null) return 'No model would be asked: the review costs nothing.'
  const { models, calls, inputTokens, costUsd } = estimate
  const cost = costUsd === null ? 'an unknown amount' : `$${costUsd.toFixed(2)}`
  return [
    `${models.join(' and ')}: ${formatCount(calls, 'call')} with about ` +
      `${groupDigits(inputTokens)} input tokens cost about ${cost}.`,
    'More calls follow if the models use tools, and to verify what they find: mostly of cached ' +
      'input, which costs less. REVIEW_BUDGET_USD limits the cost of all.',
  ].join('\n')
}
