// What those are given who ask a model about a change: reviewers, and the verifier.
import type { Budget, GenerateLimits, Model } from '../models/index.ts'
import type { Tool } from '../tools/tool.ts'
import type { Change } from './reviewer.ts'

/** What all of them need, however many models they ask. */
export interface CommonModelOptions {
  /** The tools for a change; read-only, and all that a model can call. */
  readonly tools: (change: Change) => readonly Tool[]
  /** Of the review, so that whoever holds it is made anew for each. */
  readonly budget: Budget
  readonly limits?: Partial<GenerateLimits>
  /** Language of what is written; English by default. */
  readonly language?: string
}

/** For reviewers: what they ask a model to read. */
export interface AttentionCheckOptions {
  /** Whether a model must prove that it read each round, by a planted defect; true by default. */
  readonly attentionCheck?: boolean
}

/** For those that ask one model. */
export interface ModelOptions extends CommonModelOptions {
  readonly model: Model
}
