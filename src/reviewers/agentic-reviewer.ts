// A reviewer that has one model review the whole change with read-only tools.
import type { GenerateLimits } from '../models/index.ts'
import type { AttentionCheckOptions, ModelOptions } from './model-options.ts'
import { createPromptFence } from './prompts/prompt-fence.ts'
import { fullReviewTask } from './prompts/review-prompt.ts'
import type { ReviewField } from './prompts/specialist-prompts.ts'
import { reviewRounds } from './review-rounds.ts'
import type { Reviewer } from './reviewer.ts'

/** `steps` and `outputTokens` apply to one round, `totalTokens` and `timeMs` to all rounds. */
const defaultLimits: GenerateLimits = {
  steps: 24,
  outputTokens: 16_000,
  totalTokens: 2_000_000,
  timeMs: 600_000,
}

/** A model may regard defects of the other fields as a matter of taste. */
const canaryFields: readonly ReviewField[] = ['correctness', 'security']

/** Makes the agentic reviewer of one review. */
export function createAgenticReviewer(options: ModelOptions & AttentionCheckOptions): Reviewer {
  const name = 'agentic'
  return {
    name,
    review: (change, context, signal) =>
      reviewRounds(
        {
          reviewer: name,
          label: 'the model',
          model: options.model,
          task: [fullReviewTask],
          change,
          tools: options.tools,
          canaryFields: options.attentionCheck === false ? [] : canaryFields,
          sharesRounds: false,
          language: options.language ?? 'English',
          fence: createPromptFence(),
          limits: { ...defaultLimits, ...options.limits },
          budget: options.budget.createShare(),
          startedAt: performance.now(),
        },
        context,
        signal,
      ),
  }
}
