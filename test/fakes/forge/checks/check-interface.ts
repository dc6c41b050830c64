// What tests do with checks on the forge directly.
import type { Annotation, CheckAction, Conclusion } from './check-state.ts'
import type { CheckVerdict } from './required-checks.ts'

export interface CheckRunView {
  readonly id: number
  readonly name: string
  /** Slug of the App. */
  readonly app: string
  readonly headSha: string
  readonly status: 'queued' | 'in_progress' | 'completed'
  readonly conclusion: Conclusion | null
  readonly title: string | null
  readonly summary: string | null
  readonly text: string | null
  readonly detailsUrl: string | null
  readonly externalId: string
  readonly annotations: readonly Annotation[]
  readonly actions: readonly CheckAction[]
  /** How often it was updated. */
  readonly edits: number
}

export interface CheckControls {
  /** All check runs of a commit, oldest first. */
  checkRuns(repo: string, sha: string): readonly CheckRunView[]
  /** Presses "Re-run" of one check, as somebody who can write. */
  rerunCheck(repo: string, run: number, by: string): void
  /** Presses "Re-run all checks" of an App for a commit. */
  rerunAllChecks(repo: string, sha: string, app: string, by: string): Promise<void>
  /** Presses a button of a check. */
  pressCheckButton(repo: string, run: number, identifier: string, by: string): void
  /** Sets the checks that merges into a branch require, by name. */
  requireChecks(repo: string, branch: string, names: readonly string[]): void
  /** How the required checks of a branch stand at a commit. */
  requiredChecks(repo: string, branch: string, sha: string): ReadonlyMap<string, CheckVerdict>
  /** Adds a pull request to the merge queue. Returns the commit of the group. */
  enqueue(repo: string, number: number, by: string): Promise<string>
  /** Ends a group of the queue. Returns whether its checks let it be merged. */
  settleMergeGroup(repo: string, headSha: string, by: string): Promise<boolean>
}
