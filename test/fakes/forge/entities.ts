// Accounts, repositories, pull requests and what is below them.
import type { App, Installation } from './apps/app-state.ts'
import type { CheckRun, CheckSuite } from './checks/check-state.ts'
import type { MergeGroup } from './checks/merge-queue.ts'
import type { Comparison } from './comparison.ts'
import type { RepositoryTools } from './tools/tool-state.ts'

/** The roles on a repository, as GitHub names them. */
export type Permission = 'none' | 'read' | 'triage' | 'write' | 'maintain' | 'admin'

export interface User {
  readonly id: number
  readonly login: string
  readonly name: string
  readonly email: string
  readonly type: 'User' | 'Organization' | 'Bot'
}

export interface Token {
  readonly user: User
  readonly scopes: readonly string[]
  /** Set for tokens that came from an OAuth application. */
  readonly clientId: string | null
  /** By the forge's clock, in milliseconds; without it the token has no end. */
  readonly expiresAt?: number
  /** Set for the tokens of an App's installation. */
  readonly grant?: InstallationGrant
  /** Set for the tokens of people who signed in to an App. */
  readonly app?: App
}

/** What the token of an installation may do. */
export interface InstallationGrant {
  readonly installation: Installation
  /** Null for all repositories of the installation. */
  readonly repositories: ReadonlySet<Repository> | null
  readonly permissions: Readonly<Record<string, string>>
}

export interface Hook {
  readonly id: number
  readonly url: string
  readonly secret: string
  readonly contentType: 'json' | 'form'
  readonly events: readonly string[]
  readonly active: boolean
  readonly createdAt: string
}

/** GitHub's reactions. */
// biome-ignore format: one line for one list.
export const reactionContents = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes']

export interface Reaction {
  readonly id: number
  readonly author: User
  readonly content: string
  readonly createdAt: string
}

export interface Label {
  readonly id: number
  readonly name: string
  readonly color: string
  readonly description: string | null
}

export interface IssueComment {
  readonly id: number
  readonly author: User
  body: string
  edits: number
  /** Who edited it last; null where nobody did. */
  editor: User | null
  readonly reactions: Reaction[]
  readonly createdAt: string
  updatedAt: string
}

export interface Review {
  readonly id: number
  readonly author: User
  state: 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED'
  /** What it was before it was dismissed; null while it isn't. */
  formerState: Review['state'] | null
  body: string
  /** The id of its text, where that is a comment of its own. */
  readonly summaryId: number
  readonly commitId: string
  /** The head of the pull request when it was submitted. */
  readonly headSha: string
  readonly submittedAt: string
  updatedAt: string
}

/** Who took the verdict of a review back, and why. */
export interface Dismissal {
  readonly id: number
  readonly review: Review
  readonly by: User
  readonly message: string
  readonly createdAt: string
}

/** A review whose author goes on writing it. */
export interface PendingReview {
  readonly review: Review
  readonly comments: InlineComment[]
}

/** The position of an inline comment in a diff. */
export interface Anchor {
  readonly path: string
  readonly side: 'LEFT' | 'RIGHT'
  readonly line: number
  readonly startSide: 'LEFT' | 'RIGHT' | null
  readonly startLine: number | null
  /** Lines below the file's first `@@`, 1-based. */
  readonly position: number
  readonly diffHunk: string
}

export interface InlineComment extends IssueComment {
  readonly reviewId: number
  /** The original position, in the diff from `originalMergeBase` to `originalCommitId`. */
  readonly original: Anchor
  readonly originalCommitId: string
  readonly originalMergeBase: string
  /** The position in the pull request's current diff; null when the line was removed. */
  current: {
    readonly line: number
    readonly startLine: number | null
    readonly position: number
  } | null
  commitId: string
  /** Id of the comment that opened the thread; null for that one itself. */
  readonly inReplyTo: number | null
  /** Only set on the comment that opened the thread. */
  resolvedBy: User | null
}

export interface CommitStatus {
  readonly id: number
  readonly sha: string
  readonly context: string
  readonly state: 'pending' | 'success' | 'failure' | 'error'
  readonly description: string | null
  readonly targetUrl: string | null
  readonly author: User
  readonly createdAt: string
}

export interface Issue {
  readonly id: number
  readonly number: number
  readonly repository: Repository
  readonly author: User
  title: string
  body: string | null
  state: 'open' | 'closed'
  readonly createdAt: string
  updatedAt: string
  closedAt: string | null
  comments: IssueComment[]
  labels: Label[]
}

export interface PullRequest extends Issue {
  draft: boolean
  /** Null when the fork was removed. */
  headRepository: Repository | null
  readonly headOwner: User
  readonly headRef: string
  headSha: string
  baseRef: string
  baseSha: string
  mergeBase: string
  mergedAt: string | null
  mergedBy: User | null
  mergeCommitSha: string | null
  additions: number
  deletions: number
  changedFiles: number
  commits: number
  readonly reviews: Review[]
  readonly dismissals: Dismissal[]
  requestedReviewers: User[]
  inlineComments: InlineComment[]
  /** Reviews that only their authors see, because they aren't submitted yet. */
  pendingReviews: PendingReview[]
}

export interface Repository {
  readonly id: number
  owner: User
  name: string
  private: boolean
  readonly description: string | null
  readonly defaultBranch: string
  parent: Repository | null
  /** The bare repository on disk. */
  readonly directory: string
  /** By lower-case login. */
  readonly collaborators: Map<string, Permission>
  /** The branches and their commits since the last push. */
  heads: ReadonlyMap<string, string>
  hooks: Hook[]
  readonly labels: Label[]
  /** Pull requests are issues too: those are in both maps. */
  readonly issues: Map<number, Issue>
  readonly pulls: Map<number, PullRequest>
  readonly statuses: CommitStatus[]
  readonly checkSuites: CheckSuite[]
  readonly checkRuns: CheckRun[]
  /** Names of the checks that must pass, by branch. */
  readonly requiredChecks: Map<string, readonly string[]>
  readonly mergeGroups: MergeGroup[]
  readonly tools: RepositoryTools
  /** Whether its rules let administrators alone dismiss reviews. */
  restrictsDismissals: boolean
  readonly createdAt: string
  pushedAt: string
  /** Commits for which contributor statistics were requested. */
  readonly statisticsRequested: Set<string>
  readonly comparisons: Map<string, Promise<Comparison>>
  /** The end of the queue of writes to the git repository. */
  writes: Promise<unknown>
}
