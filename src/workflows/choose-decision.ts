// Chooses what a review decides at the code host: it approves, requests changes, or only comments.
import type { PullRequest } from '../domain/pull-request.ts'
import type { RepositorySettings } from '../domain/repository-settings.ts'
import type { Decision, ReviewEnd } from '../domain/review.ts'

interface DecisionInput {
  readonly pullRequest: Pick<PullRequest, 'repo' | 'head'>
  readonly ends: readonly ReviewEnd[]
  /** The ends that block merging. */
  readonly gate: readonly ReviewEnd[]
  /** The decisions that the settings of the base branch permit. */
  readonly decisions: RepositorySettings['decisions']
  /** Whether a person paused the reviews. */
  readonly isPaused: boolean
}

/** Null for a review that only comments. Changes from forks are never approved. */
export function chooseDecision(input: DecisionInput): Decision | null {
  const { pullRequest, ends, gate, decisions, isPaused } = input
  if (isPaused) return null
  const isRefused = ends.includes('changes_requested') && gate.includes('changes_requested')
  if (isRefused && decisions.includes('request_changes')) return 'request_changes'
  const isFork = pullRequest.head.repo !== pullRequest.repo
  const isPassed = ends.length === 1 && ends[0] === 'passed'
  return isPassed && !isFork && decisions.includes('approve') ? 'approve' : null
}
