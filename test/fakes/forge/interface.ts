// The interface of a running forge for tests and the demo.
import type { AppControls } from './apps/app-interface.ts'
import type { CheckControls } from './checks/check-interface.ts'
import type { DeliveryFaultOptions } from './delivery-faults.ts'
import type { DialectName } from './dialect.ts'
import type { Permission, Review, User } from './entities.ts'
import type { FaultRule } from './faults.ts'
import type { Exchange } from './http.ts'
import type { PullRequestView } from './pull-request-view.ts'
import type { PushedFile, PushOptions } from './pushes.ts'
import type { RepositoryOptions } from './repositories.ts'
import type { SecondaryLimit } from './secondary-limit.ts'
import type {
  Delivery,
  DeliveryAttempt,
  ForgeLimits,
  ListDelay,
  OAuthApp,
  RateLimit,
  SeenRequest,
} from './state.ts'
import type { ToolControls } from './tools/tool-interface.ts'
import type { WaitOptions } from './wait-until.ts'

export interface ForgeOptions {
  /** The kind of host that it speaks as; `github` unless given. */
  readonly dialect?: DialectName
  /** `127.0.0.1` unless given. */
  readonly host?: string
  /** 0 (any free one) unless given. */
  readonly port?: number
  /** Where the git repositories are; a temporary folder, removed at the end, unless given. */
  readonly dataDir?: string
  readonly clock?: () => Date
  /** Is called with each request to the REST API and what the forge answers, without faults. */
  readonly observe?: (exchange: Exchange) => void
}

export interface PullRequestInput {
  readonly repo: string
  /** Branch with the change. */
  readonly head: string
  /** The default branch unless given. */
  readonly base?: string
  readonly title?: string
  readonly body?: string
  /** Login; the owner of the head's repository unless given. */
  readonly author?: string
  /** Fork that the head branch is in. */
  readonly headRepo?: string
  readonly draft?: boolean
}

/**
 * A running forge. Repositories are named `owner/repo`, at GitLab with groups of any depth as owner,
 * and users by login. Unknown names throw an Error.
 */
export interface Forge extends AsyncDisposable, AppControls, CheckControls, ToolControls {
  /** Base of web pages and clone addresses: `<url>/<owner>/<repo>.git`. */
  readonly url: string
  /** Base of the REST API: `<url>/api/v3` as GitHub, `<url>/api/v1` as Gitea and Forgejo. */
  readonly apiUrl: string
  /** `<url>/api/graphql`; only GitHub has it. */
  readonly graphqlUrl: string

  /**
   * Creates a user, or adds a token to an existing one. The default scopes are those of the
   * service.
   */
  createUser(
    login: string,
    options?: { token?: string; scopes?: readonly string[]; name?: string; type?: 'User' | 'Bot' },
  ): User
  /** Creates an empty repository. An owner that isn't a user becomes an organization. */
  createRepository(repo: string, options?: RepositoryOptions): Promise<void>
  /** The former name redirects from now on. */
  renameRepository(repo: string, newName: string): void
  removeRepository(repo: string): Promise<void>
  /** Sets whether only its collaborators see it. */
  setPrivate(repo: string, isPrivate: boolean): void
  /** Grants (or with `none` revokes) a user's access. */
  setPermission(repo: string, login: string, permission: Permission): void
  /** Lets administrators alone dismiss reviews, as the rules of a branch can. */
  restrictDismissals(repo: string, restricts: boolean): void
  cloneUrl(repo: string): string

  /**
   * Pushes a commit to a branch, with all effects of a push. Returns its id. A null content removes
   * the file.
   */
  push(
    repo: string,
    branch: string,
    files: Readonly<Record<string, PushedFile>>,
    options?: PushOptions,
  ): Promise<string>
  deleteBranch(repo: string, branch: string): Promise<void>
  /** Branches and their commits. */
  branches(repo: string): Promise<Map<string, string>>

  /** Opens a pull request and returns its number. */
  openPullRequest(input: PullRequestInput): Promise<number>
  closePullRequest(repo: string, number: number, by?: string): void
  reopenPullRequest(repo: string, number: number, by?: string): Promise<void>
  /** Returns the merge commit. */
  mergePullRequest(repo: string, number: number, by?: string): Promise<string>
  convertToDraft(repo: string, number: number, by?: string): void
  markReadyForReview(repo: string, number: number, by?: string): void
  editPullRequest(
    repo: string,
    number: number,
    change: { title?: string; body?: string; base?: string },
    by?: string,
  ): Promise<void>
  /** Returns the current content of the pull request. */
  pullRequest(repo: string, number: number): PullRequestView
  /** Comments on a pull request or issue. Returns the comment's id. */
  comment(repo: string, number: number, author: string, body: string): number
  /** Edits a comment of the conversation or on a line, as `author`. */
  editComment(
    repo: string,
    number: number,
    id: number,
    change: { author: string; body: string },
  ): void
  deleteComment(repo: string, number: number, id: number, by: string): void
  /** Adds a reaction to a comment; GitHub delivers none. */
  react(
    repo: string,
    number: number,
    id: number,
    reaction: { author: string; content: string },
  ): void
  /** `by` is the author of the pull request unless given, here and below. */
  addLabel(repo: string, number: number, name: string, by?: string): void
  removeLabel(repo: string, number: number, name: string, by?: string): void
  /** Asks a collaborator for a review, also again. */
  requestReview(repo: string, number: number, login: string, by?: string): void
  /** Replies in the thread of an inline comment. Returns the reply's id. */
  replyToComment(
    repo: string,
    number: number,
    commentId: number,
    answer: { author: string; body: string },
  ): number
  /** Posts a review of the head without comments, as a person does on the page. */
  postReview(
    repo: string,
    number: number,
    review: { author: string; state: Review['state']; body?: string },
  ): Promise<number>
  dismissReview(repo: string, number: number, id: number, by: string): void
  /** Resolves the thread of a comment, or reopens it with `by` null. */
  resolveThread(repo: string, number: number, commentId: number, by: string | null): void
  /** Opens an issue and delivers it. Returns its number. */
  openIssue(repo: string, input: { title: string; body?: string; author?: string }): number

  /** Adds a webhook without sending a ping. Returns its id. */
  addWebhook(
    repo: string,
    input: {
      url: string
      secret?: string
      events?: readonly string[]
      contentType?: 'json' | 'form'
    },
  ): number
  removeWebhook(repo: string, id: number): void
  webhooks(
    repo: string,
  ): readonly { id: number; url: string; secret: string; events: readonly string[] }[]
  /** All deliveries, oldest first. */
  readonly deliveries: readonly Delivery[]
  /** Redelivers a delivery, by its number or guid, with the same id and body. */
  redeliver(id: number | string): Promise<DeliveryAttempt>
  /** Waits for a matching delivery that was answered or failed. */
  waitForDelivery(
    predicate: (delivery: Delivery) => boolean,
    options?: WaitOptions,
  ): Promise<Delivery>

  /** Moves the forge's clock ahead: tokens, codes and limits expire by it. */
  shiftClock(milliseconds: number): void
  /** Makes new deliveries fail by a seeded chance; null ends that, and late ones stay out. */
  faultyDeliveries(options: DeliveryFaultOptions | null): void
  /** Sends the deliveries that are late or were to be overtaken. Resolves when all were answered. */
  releaseDeliveries(): Promise<void>

  /** Waits until `read` returns a value: it is called now and after each change here. */
  waitFor<T>(read: () => T | undefined | null | false, options?: WaitOptions): Promise<T>
  /** All requests, oldest first. */
  readonly requests: readonly SeenRequest[]
  readonly faults: {
    /** Adds a rule; earlier rules go first. Returns a function that removes it. */
    add(rule: FaultRule): () => void
    clear(): void
  }
  /** Settable. */
  readonly limits: ForgeLimits
  /** Settable. */
  readonly rateLimit: RateLimit
  /** Settable; off by default. GitHub's are 80 a minute and 500 an hour. */
  readonly secondaryLimit: SecondaryLimit
  /** Settable. */
  readonly lists: ListDelay

  createOAuthApp(input?: {
    clientId?: string
    clientSecret?: string
    callbackUrl?: string
  }): OAuthApp
  /** The user whom the authorize page signs in; null for nobody. */
  signInAs(login: string | null): void
  /** Makes the next sign-in end with `access_denied`. */
  denyNextSignIn(): void
  /** Revokes a token. */
  revokeToken(token: string): void
  /** Revokes what a user of Gitea or Forgejo allowed applications to do. */
  revokeGrants(login: string): void

  /** Stops at once: open connections are cut, pending waits are rejected. */
  close(): Promise<void>
}
