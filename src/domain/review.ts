// Reviews: the verdict on one head of a pull request, with findings and coverage.
import type { ReviewEnd } from '../contract/enums.ts'
import type { Finding } from './finding.ts'
import type { AppliedMemory } from './memory.ts'
import type { PullRequest } from './pull-request.ts'

/** The API and analytics use these values. */
export type Verdict = 'APPROVE' | 'REQUEST_CHANGES' | 'NEEDS_DISCUSSION'

export { type ReviewEnd, reviewEnds } from '../contract/enums.ts'

/** What a review decides at the code host. Without a decision it only comments. */
export type Decision = 'approve' | 'request_changes'

/** It is from 1 (low) to 5 (high). */
export type Confidence = 1 | 2 | 3 | 4 | 5

/** The use of models, summed over all calls. */
export interface Usage {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
  /** Null if the price of a model isn't known. */
  readonly costUsd: number | null
}

export const noUsage: Usage = {
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  costUsd: 0,
}

/** A file that was not reviewed, or only in part. */
export interface SkippedFile {
  readonly path: string
  /** One phrase, for example `generated`, `binary`, `over the token budget`. */
  readonly reason: string
  /**
   * Whether it should have been reviewed, which lowers the verdict. False for images, for example.
   */
  readonly matters: boolean
  /** Number of changed lines that were not read, if it is known. */
  readonly lines?: number
}

/** Why the review of a draft is incomplete. */
export const draftClause = 'rules alone reviewed this draft'

/** Numbers of changed lines. The other four add up to `changed`. */
export interface LineCoverage {
  readonly changed: number
  /** Read by a model. */
  readonly model: number
  /** Read by the rules of their language. */
  readonly rules: number
  /** Searched as text, which is enough for data and prose. */
  readonly text: number
  /** Not read as their kind of file requires. */
  readonly unread: number
}

/** Renames the numbers as in the API and the command's report. */
export function nameLineCounts({ changed, model, rules, text, unread }: LineCoverage) {
  return {
    changed,
    readByModel: model,
    readByRules: rules,
    searchedAsText: text,
    notRead: unread,
  }
}

export interface Coverage {
  /** Doesn't include files that the settings exclude. */
  readonly filesTotal: number
  /** Counts files without unread lines. */
  readonly filesReviewed: number
  readonly lines: LineCoverage
  readonly skipped: readonly SkippedFile[]
  /**
   * Other limits of this review, one sentence each (a model that failed, findings that were
   * dropped).
   */
  readonly notes: readonly string[]
  /** Describes rejected claims, one sentence each. They are decisions, not limits of the review. */
  readonly setAside: readonly string[]
  /** Whether rules alone reviewed it because it is a draft; absent in older reviews. */
  readonly isDraft?: boolean
  /** False if a part of the change that matters was not reviewed. */
  readonly complete: boolean
}

/** An error of the review itself, for the operator. It is never posted on the pull request. */
export interface ReviewWarning {
  /** Identifies the error, for example `model_unauthorized`. */
  readonly code: string
  readonly message: string
}

export interface Review {
  readonly pullRequest: PullRequest
  /** The commit that was reviewed. */
  readonly headSha: string
  readonly verdict: Verdict
  /** All ends that apply. The first one names the review. */
  readonly ends: readonly ReviewEnd[]
  /** Whether one of the ends blocks merging, by the repository's settings. */
  readonly blocks: boolean
  readonly confidence: Confidence
  /** Why the confidence is what it is, in one line. */
  readonly confidenceReason: string
  /** Is Markdown of two or three sentences that begins with the riskiest point. */
  readonly summary: string
  /** What the reviewers say about the change as a whole. It is Markdown; rules say nothing. */
  readonly words: string
  readonly findings: readonly Finding[]
  readonly coverage: Coverage
  readonly warnings: readonly ReviewWarning[]
  readonly usage: Usage
  /** Names of the reviewers that took part, with the model where there is one. */
  readonly reviewers: readonly string[]
}

/** Logs of other tools, and the settings by which they were chosen. */
export interface KnownToolLogs {
  readonly codeScanning: boolean
  readonly artifacts: readonly string[]
  /** See `identifyLog`. */
  readonly known: readonly string[]
}

/** Whether a model took part. The confidence in rules alone is the same for each review. */
export function hasModel({ reviewers }: Pick<Review, 'reviewers'>): boolean {
  return reviewers.some(isModel)
}

/** Whether the name of a reviewer stands for a model. */
export function isModel(reviewer: string): boolean {
  return reviewer === 'agentic' || reviewer === 'parallel'
}

/** Stored with a review, so that its verdict can be decided again without a model. */
export interface ReviewBasis {
  /** Hash of what the review depends on besides the head, see `hashReviewBasis`. */
  readonly key: string
  /** Whether a model failed, so that the head must be reviewed again instead. */
  readonly modelFailed: boolean
  /** The reviewers summarized the change as a whole in these texts. */
  readonly words: readonly string[]
  readonly reviewers: readonly string[]
  /** Names of the models that took part. */
  readonly models: readonly string[]
  readonly durationMs: number
  /** The logs of other tools that it knew; null or missing if the settings asked for none. */
  readonly toolLogs?: KnownToolLogs | null
  /** Memories that are listed in the summary. */
  readonly memories: readonly AppliedMemory[]
}
