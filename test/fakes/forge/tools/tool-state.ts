// What other tools published about commits: logs in code scanning, and artifacts of workflow runs.

/** A SARIF log in code scanning. */
export interface Analysis {
  readonly id: number
  /** For example `refs/heads/main` or `refs/pull/1/merge`. */
  readonly ref: string
  readonly sha: string
  readonly category: string
  readonly log: SarifLog
  readonly createdAt: string
}

/** The parts of a log that the forge shows in lists. */
export interface SarifLog {
  readonly version: string
  readonly runs: readonly {
    readonly tool: {
      readonly driver: { readonly name: string; readonly rules?: readonly object[] }
    }
    readonly results?: readonly object[]
  }[]
}

export interface WorkflowRun {
  readonly id: number
  readonly event: string
  readonly headSha: string
  status: 'in_progress' | 'completed'
  readonly artifacts: Artifact[]
  readonly createdAt: string
}

export interface Artifact {
  readonly id: number
  readonly name: string
  readonly archive: Buffer
  expired: boolean
  readonly createdAt: string
}

/** What a repository has of tools. */
export interface RepositoryTools {
  /** Null where code scanning isn't enabled. */
  analyses: Analysis[] | null
  readonly workflowRuns: WorkflowRun[]
}
