// The options of the reviewers and the verifier that call models.

import type { Change } from '../domain/change.ts'
import type { Tool } from '../domain/tool.ts'
import type { Budget, GenerateLimits, Model } from '../models/index.ts'

export interface CommonModelOptions {
  /** Makes the read-only tools for a change. A model can call no others. */
  readonly tools: (change: Change) => readonly Tool[]
  /** The budget of one review, so reviewers and verifiers are made for one review. */
  readonly budget: Budget
  readonly limits?: Partial<GenerateLimits>
  /** Is English by default. */
  readonly language?: string
}

export interface AttentionCheckOptions {
  /** Whether a model must report the defect of a canary in each round; true by default. */
  readonly attentionCheck?: boolean
}

export interface ModelOptions extends CommonModelOptions {
  readonly model: Model
}
