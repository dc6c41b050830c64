// Defines the report of `umpire review`, independent of its format.

import type { Change } from '../../domain/change.ts'
import type { Severity } from '../../domain/finding.ts'
import type { Review } from '../../domain/review.ts'

export interface ComparisonSummary {
  readonly kind: 'commits' | 'staged' | 'uncommitted' | 'pull_request'
  /** A text for people that names what is compared. */
  readonly description: string
  /** Null if the side is not a commit but the working tree or the index. */
  readonly baseSha: string | null
  readonly headSha: string | null
  /** A local change has no URL. */
  readonly url: string | null
  /** Explains why there is nothing to review, if the reason is not obvious. */
  readonly emptyReason?: string | undefined
}

export interface Report {
  readonly compared: ComparisonSummary
  /** Null if there is nothing to review. */
  readonly review: Review | null
  /** Null if `review` is null. */
  readonly change: Change | null
  /** Findings of this or a higher severity make the command fail. */
  readonly failOn: Severity
  readonly exitCode: number
  readonly durationMs: number
}
