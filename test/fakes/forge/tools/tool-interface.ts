// What tests do with code scanning and workflow runs on the forge directly.
import type { SarifLog } from './tool-state.ts'

export interface ToolControls {
  /** Uploads a log to code scanning, which enables it. `sha` is that of `ref`. Returns its id. */
  uploadAnalysis(
    repo: string,
    input: { ref: string; sha: string; log: SarifLog; category?: string },
  ): number
  /** Merges the head of a pull request into its base on trial. Returns the commit. */
  makeTrialMerge(repo: string, number: number): Promise<string>
  /** Starts a workflow run; the event is `pull_request` unless given. Returns its id. */
  startWorkflow(repo: string, input: { sha: string; event?: string }): number
  /** Ends it with these artifacts, which are archives. Returns their ids. */
  endWorkflow(
    repo: string,
    run: number,
    artifacts?: Readonly<Record<string, Uint8Array>>,
  ): Promise<readonly number[]>
  /** Deletes the archive of an artifact, as GitHub does after 90 days. */
  expireArtifact(repo: string, id: number): void
}
