// A reviewer that gives one model the change, lets it look around with read-only tools, and reads its findings.
import type { GenerateLimits } from '../models/index.ts'
import type { ModelOptions } from './model-options.ts'
import { wholeTask } from './prompts/review-prompt.ts'
import { createFence } from './prompts/untrusted-block.ts'
import { reviewRounds } from './review-rounds.ts'
import type { Reviewer } from './reviewer.ts'

/** `steps` and `outputTokens` hold for one round, `totalTokens` and `timeMs` for the whole review. */
const defaultLimits: GenerateLimits = { steps: 24, outputTokens: 16_000, totalTokens: 2_000_000, timeMs: 600_000 }

/** Makes the agentic reviewer of one review. */
export function createAgenticReviewer(options: ModelOptions): Reviewer {
  const name = 'agentic'
  return {
    name,
    review: (change, context, signal) =>
      reviewRounds(
        {
          reviewer: name,
          who: 'the model',
          model: options.model,
          task: [wholeTask],
          change,
          tools: options.tools(change),
          language: options.language ?? 'English',
          fence: createFence(),
          limits: { ...defaultLimits, ...options.limits },
          budget: options.budget.part(),
          startedAt: performance.now(),
        },
        context,
        signal,
      ),
  }
}
