// A review: the verdict on one head of one pull request, and all that it rests on.
import type { ReviewEnd } from '../contract/enums.ts'
import type { AppliedMemory } from './change-graph.ts'
import type { Finding } from './finding.ts'
import type { PullRequest } from './pull-request.ts'

/** The vocabulary of analytics and of `ai_summary`. */
export type Verdict = 'APPROVE' | 'REQUEST_CHANGES' | 'NEEDS_DISCUSSION'

export { type ReviewEnd, reviewEnds } from '../contract/enums.ts'

/** 1 (low) to 5 (high). */
export type Confidence = 1 | 2 | 3 | 4 | 5

/** What models were used for, summed over all calls. */
export interface Usage {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
  /** Null when the price of a model isn't known. */
  readonly costUsd: number | null
}

export const noUsage: Usage = {
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  costUsd: 0,
}

/** A file that was not, or not wholly, reviewed, and why. */
export interface SkippedFile {
  readonly path: string
  /** One phrase, for example `generated`, `binary`, `over the token budget`. */
  readonly reason: string
  /**
   * Whether someone expected to see it reviewed: true lowers the verdict, false (a picture,
   * excluded) doesn't.
   */
  readonly matters: boolean
  /** How many of its changed lines were not read, where that is known. */
  readonly lines?: number
}

/** Numbers of changed lines, by who read them best. The other four add up to `changed`. */
export interface LineCoverage {
  readonly changed: number
  /** Read by a model. */
  readonly model: number
  /** Read by the rules of their language. */
  readonly rules: number
  /** Searched as text, which is enough for data and prose. */
  readonly text: number
  /** Not read as they have to be. */
  readonly unread: number
}

/** The same under the names that the API and the command's report use. */
export function toLineCounts({ changed, model, rules, text, unread }: LineCoverage) {
  return {
    changed,
    read_by_model: model,
    read_by_rules: rules,
    searched_as_text: text,
    not_read: unread,
  }
}

/** How much of the change was seen. */
export interface Coverage {
  /** Without those that the repository's settings exclude. */
  readonly filesTotal: number
  /** Those of which all lines were read as they have to be. */
  readonly filesReviewed: number
  readonly lines: LineCoverage
  readonly skipped: readonly SkippedFile[]
  /**
   * Other limits of this review, one sentence each (a model that failed, findings that were
   * dropped).
   */
  readonly notes: readonly string[]
  /**
   * What was proposed and not raised, and why, one sentence each: decisions, which leave nothing
   * out.
   */
  readonly setAside: readonly string[]
  /** False when part of the change that matters was not reviewed. */
  readonly complete: boolean
}

/** What went wrong beside the change, for the operator; never told on the pull request. */
export interface ReviewWarning {
  /** As of errors: `model_unauthorized`. */
  readonly code: string
  readonly message: string
}

/** The outcome of one review. */
export interface Review {
  readonly pullRequest: PullRequest
  /** The commit that was reviewed. */
  readonly headSha: string
  readonly verdict: Verdict
  /** All that hold, the first one names the review. */
  readonly ends: readonly ReviewEnd[]
  /** Whether one of them keeps the pull request from being merged, by the repository's settings. */
  readonly blocks: boolean
  readonly confidence: Confidence
  /** Why the confidence is what it is, in one line. */
  readonly confidenceReason: string
  /** Free Markdown, two or three sentences, the riskiest point first. */
  readonly summary: string
  readonly findings: readonly Finding[]
  readonly coverage: Coverage
  readonly warnings: readonly ReviewWarning[]
  readonly usage: Usage
  /** Names of the reviewers that took part, with the model where there is one. */
  readonly reviewers: readonly string[]
}

/** What is kept of a review so that its verdict can be decided again without a model. */
export interface ReviewBasis {
  /** Hash of everything beside the head that the review depended on, see `describeBasis`. */
  readonly key: string
  /** A model that was asked failed: the head is reviewed again instead. */
  readonly modelFailed: boolean
  /** What the reviewers said of the change as a whole. */
  readonly words: readonly string[]
  readonly reviewers: readonly string[]
  /** Names of the models that answered. */
  readonly models: readonly string[]
  readonly durationMs: number
  /** The memories that the summary tells. */
  readonly memories: readonly AppliedMemory[]
}
