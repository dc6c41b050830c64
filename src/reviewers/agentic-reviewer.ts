// A reviewer that gives one model the change, lets it look around with read-only tools, and reads its findings.
import type { GenerateLimits } from '../models/index.ts'
import type { ModelOptions, ReaderOptions } from './model-options.ts'
import { wholeTask } from './prompts/review-prompt.ts'
import type { Field } from './prompts/specialist-prompts.ts'
import { createFence } from './prompts/untrusted-block.ts'
import { reviewRounds } from './review-rounds.ts'
import type { Reviewer } from './reviewer.ts'

/** `steps` and `outputTokens` hold for one round, `totalTokens` and `timeMs` for the whole review. */
const defaultLimits: GenerateLimits = {
  steps: 24,
  outputTokens: 16_000,
  totalTokens: 2_000_000,
  timeMs: 600_000,
}

/** Defects of the other fields are easier to take for a matter of taste. */
const plantedFields: readonly Field[] = ['correctness', 'security']

/** Makes the agentic reviewer of one review. */
export function createAgenticReviewer(options: ModelOptions & ReaderOptions): Reviewer {
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
          tools: options.tools,
          plantedFields: options.attentionCheck === false ? [] : plantedFields,
          isShared: false,
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
