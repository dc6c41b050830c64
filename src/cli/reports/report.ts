// What `umpire review` has to tell, before it has a format.
import type { Severity } from '../../domain/finding.ts'
import type { Review } from '../../domain/review.ts'
import type { Change } from '../../reviewers/reviewer.ts'

/** What was compared with what. */
export interface ComparisonSummary {
  readonly kind: 'commits' | 'staged' | 'uncommitted' | 'pull_request'
  /** For people. */
  readonly description: string
  /** Commits; null where a side is none. */
  readonly baseSha: string | null
  readonly headSha: string | null
  /** Address of the pull request; null for a local change. */
  readonly url: string | null
  /** What to say where there is nothing to review, for a reason that is worth telling. */
  readonly emptyReason?: string | undefined
}

export interface Report {
  readonly compared: ComparisonSummary
  /** Null when there is nothing to review. */
  readonly review: Review | null
  /** Null with it. */
  readonly change: Change | null
  /** From which severity on findings fail the command. */
  readonly failOn: Severity
  readonly exitCode: number
  readonly durationMs: number
}
