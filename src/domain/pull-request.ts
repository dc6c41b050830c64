// What a pull request is, on any code-hosting platform.

/** `owner/repo`, exactly as the platform spells it. */
export type RepositoryName = string

/**
 * The account or organization that a repository belongs to, in lower case: money and machine time
 * are shared out by it.
 */
export function ownerOf(repo: RepositoryName): string {
  return /^[^/:]*/.exec(repo)![0].toLowerCase()
}

/** Where a pull request stands at the platform. */
export type PullRequestState = 'open' | 'merged' | 'closed'

/** Names one pull request. */
export interface PullRequestRef {
  readonly repo: RepositoryName
  readonly number: number
}

/** A pull request as the platform shows it now. Title, body and branch names are untrusted text. */
export interface PullRequest extends PullRequestRef {
  readonly title: string
  readonly body: string
  /** Platform username. */
  readonly author: string
  readonly state: PullRequestState
  readonly draft: boolean
  readonly url: string
  /** Source branch name and the commit it points at. `repo` is null when the fork was deleted. */
  readonly head: {
    readonly branch: string
    readonly sha: string
    readonly repo: RepositoryName | null
  }
  /** Target branch name and the commit it points at (not the merge base). */
  readonly base: { readonly branch: string; readonly sha: string }
  readonly additions: number
  readonly deletions: number
  readonly changedFiles: number
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly updatedAt: string
  readonly mergedAt: string | null
}

/** A commit, as lists show it. All of it is untrusted text. */
export interface CommitSummary {
  readonly sha: string
  /** Name or platform username of who wrote it. */
  readonly author: string
  /** The whole message, but no more than 10,000 characters of it. */
  readonly message: string
  /** ISO 8601, UTC. */
  readonly committedAt: string
}

/** That a pull request names an issue, or another pull request. */
export interface IssueReference extends PullRequestRef {
  /** It says that it is what the change is for: `fixes #1`. */
  readonly closes: boolean
}

/** An issue that a pull request names. All of it is untrusted text. */
export interface LinkedIssue extends PullRequestRef {
  readonly title: string
  readonly body: string
  readonly state: 'open' | 'closed'
  readonly url: string
}
