// Pull requests, commits and issues, as on any code-hosting platform.

import type { PullRequestState } from '../contract/enums.ts'

export type { PullRequestState } from '../contract/enums.ts'

/** A name as in `contract/repository-name`, its parts exactly as the platform spells them. */
export type RepositoryName = string

/**
 * Returns the account, or the top group, with its code host, in lower case. Budgets and capacity
 * are shared between them. The function `owner_of` of the database returns the same.
 */
export function ownerOf(repo: RepositoryName): string {
  const [account] = /^[^/:]*/.exec(repo)!
  const [host = ''] = /@[a-z][a-z0-9-]*$/i.exec(repo) ?? []
  return `${account}${host}`.toLowerCase()
}

export interface PullRequestRef {
  readonly repo: RepositoryName
  readonly number: number
}

/** Title, body and branch names are untrusted text. */
export interface PullRequest extends PullRequestRef {
  readonly title: string
  readonly body: string
  /** Holds the platform username. */
  readonly author: string
  /** Whether the author is an application's account. */
  readonly isByBot: boolean
  readonly labels: readonly string[]
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
  /** It is in ISO 8601, UTC. */
  readonly createdAt: string
  readonly updatedAt: string
  readonly mergedAt: string | null
}

/** All of it is untrusted text. */
export interface CommitSummary {
  readonly sha: string
  /** Name or platform username of who wrote it. */
  readonly author: string
  /** Cut at 10,000 characters. */
  readonly message: string
  /** It is in ISO 8601, UTC. */
  readonly committedAt: string
}

/** A reference from a pull request to an issue or another pull request. */
export interface IssueReference extends PullRequestRef {
  /** Whether merging closes the issue, as with `fixes #1`. */
  readonly closes: boolean
}

/** An issue that a pull request references. All of it is untrusted text. */
export interface LinkedIssue extends PullRequestRef {
  readonly title: string
  readonly body: string
  readonly state: 'open' | 'closed'
  readonly url: string
}
