// What a running forge offers to tests and the demonstration.
import type { FaultRule } from './faults.ts'
import type { PullRequestView } from './pull-request-view.ts'
import type { PushedFile, PushOptions } from './pushes.ts'
import type { RepositoryOptions } from './repositories.ts'
import type {
  Delivery,
  DeliveryAttempt,
  ForgeLimits,
  ListDelay,
  OAuthApp,
  RateLimit,
  SeenRequest,
  User,
} from './state.ts'
import type { WaitOptions } from './wait-until.ts'

export interface ForgeOptions {
  /** `127.0.0.1` unless given. */
  readonly host?: string
  /** 0 (any free one) unless given. */
  readonly port?: number
  /** Where the git repositories are; a temporary folder, removed at the end, unless given. */
  readonly dataDir?: string
  readonly clock?: () => Date
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

/** A running forge. Repositories are named `owner/repo`, users by login. Everything unknown throws an Error. */
export interface Forge extends AsyncDisposable {
  /** Base of web pages and clone addresses: `<url>/<owner>/<repo>.git`. */
  readonly url: string
  /** Base of the REST API: `<url>/api/v3`. */
  readonly apiUrl: string
  /** `<url>/api/graphql`. */
  readonly graphqlUrl: string

  /** Makes a user, or gives an existing one another token. Scopes: all that the service asks for unless given. */
  createUser(
    login: string,
    options?: { token?: string; scopes?: readonly string[]; name?: string; type?: 'User' | 'Bot' },
  ): User
  /** Makes an empty repository. An owner that isn't a user becomes an organization. */
  createRepository(repo: string, options?: RepositoryOptions): Promise<void>
  /** The former name redirects from now on. */
  renameRepository(repo: string, newName: string): void
  removeRepository(repo: string): Promise<void>
  /** Whether only its collaborators see it. */
  setPrivate(repo: string, isPrivate: boolean): void
  /** Gives (or with `none` takes) someone's access. */
  setPermission(repo: string, login: string, permission: 'admin' | 'write' | 'read' | 'none'): void
  cloneUrl(repo: string): string

  /** Puts a commit on a branch, with all that follows from a push. Returns its id. A null content removes the file. */
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
  ): Promise<void>
  /** What stands on the pull request now. */
  pullRequest(repo: string, number: number): PullRequestView
  /** Comments below a pull request or issue. Returns the comment's id. */
  comment(repo: string, number: number, author: string, body: string): number
  /** Answers in the thread of an inline comment. Returns the answer's id. */
  replyToComment(
    repo: string,
    number: number,
    commentId: number,
    answer: { author: string; body: string },
  ): number
  /** Resolves the thread that a comment opened, or opens it again with `by` null. */
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
  /** Sends a delivery once more, same id and body. By its number or guid. */
  redeliver(id: number | string): Promise<DeliveryAttempt>
  /** Waits for a delivery that was answered (or failed) and that fits. */
  waitForDelivery(
    predicate: (delivery: Delivery) => boolean,
    options?: WaitOptions,
  ): Promise<Delivery>

  /** Waits until `read` gives something: asked now and after each change here. */
  waitFor<T>(read: () => T | undefined | null | false, options?: WaitOptions): Promise<T>
  /** All requests, oldest first. */
  readonly requests: readonly SeenRequest[]
  readonly faults: {
    /** Adds a rule; earlier rules go first. Returns what removes it. */
    add(rule: FaultRule): () => void
    clear(): void
  }
  /** Settable. */
  readonly limits: ForgeLimits
  /** Settable. */
  readonly rateLimit: RateLimit
  /** Settable. */
  readonly lists: ListDelay

  createOAuthApp(input?: {
    clientId?: string
    clientSecret?: string
    callbackUrl?: string
  }): OAuthApp
  /** Whom the authorize page signs in; null for nobody. */
  signInAs(login: string | null): void
  /** Makes the next sign-in end with `access_denied`. */
  denyNextSignIn(): void
  /** Makes a token worthless. */
  revokeToken(token: string): void

  /** Stops at once: open connections are cut, what waits is rejected. */
  close(): Promise<void>
}
