// The seam between what happens on the forge and how one kind of host speaks about it.
import type {
  InlineComment,
  Issue,
  IssueComment,
  Label,
  Permission,
  PullRequest,
  Repository,
  Review,
  Token,
  User,
} from './entities.ts'
import type { ForgeRequest, ForgeResponse } from './http.ts'
import type { ForgeState } from './state.ts'

export type DialectName = 'github' | 'gitea' | 'forgejo' | 'gitlab'

/** The values before an edit; absent where they stayed. */
export interface FormerValues {
  readonly title?: string
  readonly body?: string | null
  readonly base?: { readonly ref: string; readonly sha: string }
}

/** Something that happened, which hosts deliver to webhooks. Actions have GitHub's names. */
export type ForgeEvent =
  | {
      readonly kind: 'pull_request'
      readonly action: string
      readonly pull: PullRequest
      readonly former?: FormerValues
      /** The head before and after a push. */
      readonly moved?: { readonly before: string; readonly after: string }
      readonly label?: Label
      readonly reviewer?: User
    }
  | {
      readonly kind: 'issue'
      readonly action: string
      readonly issue: Issue
      readonly label?: Label
    }
  | {
      readonly kind: 'comment'
      readonly action: 'created' | 'edited' | 'deleted'
      readonly issue: Issue
      readonly comment: IssueComment
      readonly formerBody?: string
    }
  | {
      readonly kind: 'inline_comment'
      readonly action: 'edited' | 'deleted'
      readonly pull: PullRequest
      readonly comment: InlineComment
      readonly formerBody?: string
    }
  | {
      readonly kind: 'review'
      readonly action: 'submitted' | 'dismissed'
      readonly pull: PullRequest
      readonly review: Review
      /** What was posted with it. */
      readonly comments: readonly InlineComment[]
    }
  | {
      /** A person's reply on the page of the pull request. */
      readonly kind: 'reply'
      readonly pull: PullRequest
      readonly review: Review
      readonly comment: InlineComment
    }
  | {
      readonly kind: 'thread'
      readonly action: 'resolved' | 'unresolved'
      readonly pull: PullRequest
      readonly opening: InlineComment
    }
  | {
      readonly kind: 'rename'
      readonly repository: Repository
      readonly formerName: string
    }

/** A branch that moved; null where it was created or deleted. */
export interface RefChange {
  readonly branch: string
  readonly before: string | null
  readonly after: string | null
}

/** One kind of host: routes, formats, errors, pages, sign-in and deliveries over the same state. */
export interface Dialect {
  readonly name: DialectName
  /** The root of the REST API, below the forge's address. */
  readonly apiPath: string
  /** What is before the number of a pull request in the address of its page. */
  readonly pullPath: string
  /** Where git finds the heads of pull requests, by their numbers. */
  readonly pullRefs: string
  /** The scopes of tokens that tests create without any. */
  readonly defaultScopes: readonly string[]
  /** Null where a draft is a property of its own; else the title says that it is one. */
  readonly draftTitles: {
    isDraft(title: string): boolean
    change(title: string, draft: boolean): string
  } | null
  /** Whether a pull request is closed when its branch is deleted. */
  readonly closesWithoutBranch: boolean
  /** Whether a person's reply belongs to the review of the thread, or has a review of its own. */
  readonly repliesJoinReview: boolean
  /** Returns the access of a token to the code of a repository, over git. */
  gitPermission(token: Token | null, repository: Repository): Permission
  /** Returns the names of events that a webhook has which was added with these. */
  expandEvents(events: readonly string[]): readonly string[]
  /** Answers a request for anything but git's own protocol. Throws a `Refusal` for errors. */
  serve(state: ForgeState, request: ForgeRequest): ForgeResponse | Promise<ForgeResponse>
  /** Sends an event to everybody who subscribed, without waiting for answers. */
  deliver(state: ForgeState, repository: Repository, event: ForgeEvent, sender: User): void
  /** Sends a push; its content is read from git first. */
  deliverPush(
    state: ForgeState,
    repository: Repository,
    change: RefChange,
    sender: User,
  ): Promise<void>
}
