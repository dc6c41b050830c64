// A review: the verdict on one head of one pull request, and all that it rests on.
import type { Finding } from './finding.ts'
import type { PullRequest } from './pull-request.ts'

/** The vocabulary of analytics and of `ai_summary`. */
export type Verdict = 'APPROVE' | 'REQUEST_CHANGES' | 'NEEDS_DISCUSSION'

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

export const noUsage: Usage = { calls: 0, inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, costUsd: 0 }

/** A file that was not, or not wholly, reviewed, and why. */
export interface SkippedFile {
  readonly path: string
  /** One phrase, for example `generated`, `binary`, `over the token budget`. */
  readonly reason: string
  /** Whether someone expected to see it reviewed: true lowers the verdict, false (binary, vendored) doesn't. */
  readonly matters: boolean
}

/** How much of the change was seen. */
export interface Coverage {
  /** Without those that the repository's settings exclude. */
  readonly filesTotal: number
  readonly filesReviewed: number
  readonly skipped: readonly SkippedFile[]
  /** Other limits of this review, one sentence each (a model that failed, findings that were dropped). */
  readonly notes: readonly string[]
  /** What was proposed and not raised, and why, one sentence each: decisions, which leave nothing out. */
  readonly setAside: readonly string[]
  /** False when part of the change that matters was not reviewed. */
  readonly complete: boolean
}

/** The outcome of one review. */
export interface Review {
  readonly pullRequest: PullRequest
  /** The commit that was reviewed. */
  readonly headSha: string
  readonly verdict: Verdict
  readonly confidence: Confidence
  /** Why the confidence is what it is, in one line. */
  readonly confidenceReason: string
  /** Free Markdown, two or three sentences, the riskiest point first. */
  readonly summary: string
  readonly findings: readonly Finding[]
  readonly coverage: Coverage
  readonly usage: Usage
  /** Names of the reviewers that took part, with the model where there is one. */
  readonly reviewers: readonly string[]
}
