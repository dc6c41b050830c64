// A reviewer that gives one model the change, lets it look around with read-only tools, and reads its findings.
import type { Budget, GenerateLimits, Model } from '../models/index.ts'
import type { Tool } from '../tools/tool.ts'
import { wholeTask } from './prompts/review-prompt.ts'
import { createFence } from './prompts/untrusted-block.ts'
import { reviewRounds } from './review-rounds.ts'
import type { Change, Reviewer } from './reviewer.ts'

/** `steps` and `outputTokens` hold for one round, `totalTokens` and `timeMs` for the whole review. */
const defaultLimits: GenerateLimits = { steps: 24, outputTokens: 16_000, totalTokens: 2_000_000, timeMs: 600_000 }

export interface AgenticReviewerOptions {
  readonly model: Model
  /** The tools for a change; read-only, and all that the model can call. */
  readonly tools: (change: Change) => readonly Tool[]
  /** Of the review, so that the reviewer is made anew for each. */
  readonly budget: Budget
  readonly limits?: Partial<GenerateLimits>
  /** Language of what it writes; English by default. */
  readonly language?: string
}

/** Makes the agentic reviewer of one review. */
export function createAgenticReviewer(options: AgenticReviewerOptions): Reviewer {
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
