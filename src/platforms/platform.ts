// The contract of a code-hosting platform. Every implementation passes test/contracts/platform-contract.ts.
//
// Glossary
//   access    which repository, on whose behalf (a token)
//   delivery  one webhook request from the platform
//   summary   the one comment on the pull request that is edited in place
//   marker    a hidden HTML comment by which our own writing is found again
//   thread    an inline comment and the answers to it
import type { DiffSide } from '../domain/diff.ts'
import type { Finding } from '../domain/finding.ts'
import type {
  CommitSummary,
  IssueReference,
  LinkedIssue,
  PullRequest,
  PullRequestState,
  RepositoryName,
} from '../domain/pull-request.ts'
import type { ReviewEnd } from '../domain/review.ts'

/** Which platform, where it is, and how to speak to it. */
export interface PlatformConfig {
  readonly id: 'github'
  /** Address of its pages and clones, without a slash at the end. */
  readonly url: string
  /** Address of its REST API, without a slash at the end. */
  readonly apiUrl: string
  /** The application registered for sign-in; null where there is none. */
  readonly oauth: { readonly clientId: string; readonly clientSecret: string } | null
  readonly userAgent: string
  /** Longest time one call may take, answer included; 30 s where it isn't given. */
  readonly timeoutMs?: number
}

/** Which repository, on whose behalf. */
export interface Access {
  readonly repo: RepositoryName
  readonly token: string
}

/** Differences between platforms, as data. */
export interface PlatformLimits {
  /** Longest comment body the platform takes, in characters. */
  readonly maxCommentLength: number
  /** Most files that `listFilesTool` can show; a change with more is read through git. */
  readonly maxListedFiles: number
  /** Whether the platform keeps contributor statistics. */
  readonly contributorStatistics: boolean
  /** Whether threads can be resolved. */
  readonly resolvableThreads: boolean
  /** Whether an inline comment can be edited; where not, it keeps the words with which it was posted. */
  readonly editableComments: boolean
  /** Whether an inline comment can hold a suggestion that people can commit. */
  readonly suggestions: boolean
}

/** The account behind a token. */
export interface Viewer {
  readonly id: string
  readonly login: string
  readonly name: string
  readonly avatarUrl: string
}

/** What the OAuth code was exchanged for. */
export interface OAuthGrant {
  readonly token: string
  readonly scopes: readonly string[]
}

/** What a platform says of itself, and of a token. */
export interface Inspection {
  /** Its clock, to the second; null where it doesn't show it. */
  readonly now: Date | null
  /** Null without a token. */
  readonly viewer: Viewer | null
  /** What the token may do; null where the platform doesn't show it. */
  readonly scopes: readonly string[] | null
  /** What of that reviews need and it lacks. */
  readonly missingScopes: readonly string[]
}

/** A repository that the token can see. */
export interface ListedRepository {
  /** The platform's own: it stays through a rename, and one that is made anew under the same name has another. */
  readonly id: string
  readonly repo: RepositoryName
  readonly private: boolean
  readonly admin: boolean
  readonly push: boolean
  readonly description: string
  readonly defaultBranch: string
}

/** What a person may do in a repository. Roles between these count as the lower one. */
export type RepositoryPermission = 'admin' | 'write' | 'read' | 'none'

/** A page of the repositories that a token sees. */
export interface RepositoryPage {
  readonly repositories: readonly ListedRepository[]
  readonly hasMore: boolean
}

/** A changed file as the platform lists it. */
export interface ListedFile {
  readonly path: string
  readonly oldPath: string
  readonly status: 'added' | 'deleted' | 'modified' | 'renamed' | 'copied'
  readonly additions: number
  readonly deletions: number
}

/** An entry of the tree as the platform's API shows it. */
export interface ListedTreeEntry {
  readonly path: string
  readonly kind: 'file' | 'directory' | 'symlink' | 'submodule'
  readonly size: number
  readonly oid: string
}

/** A contributor's work on the default branch, all time. */
export interface ContributorStatistics {
  readonly login: string
  readonly commits: number
  readonly additions: number
  readonly deletions: number
}

/** Where to clone from. `headers` (authorization) are passed to git through its environment, never in the URL. */
export interface CloneRemote {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** An inline comment to stand on a line of the diff. */
export interface InlineComment {
  /** Hidden text that `body` ends with and that no other comment does. */
  readonly marker: string
  readonly path: string
  readonly side: DiffSide
  /** 1-based; equal to `endLine` for a single line. */
  readonly startLine: number
  readonly endLine: number
  readonly body: string
}

/** All that is to stand on the pull request after a review. */
export interface ReviewToPublish {
  readonly number: number
  /** The reviewed commit, to which the inline comments are tied. */
  readonly headSha: string
  readonly summary: {
    /** Hidden text by which an earlier summary is found; `body` begins with it. */
    readonly marker: string
    readonly body: string
    /** Where it was posted a moment ago: lists may not show it yet. Null where it wasn't. */
    readonly id: string | null
  }
  readonly comments: readonly InlineComment[]
  /** None of these is posted: one that stands from an earlier review is brought up to date. */
  readonly updateOnly: readonly Pick<InlineComment, 'marker' | 'body'>[]
  /** Markers of comments that earlier reviews posted and this one says nothing about. */
  readonly formerMarkers: readonly string[]
  /** What the review says to the platform itself; `comment` leaves merging alone. */
  readonly event: 'comment' | 'approve' | 'request_changes'
  /** Called before every write; throws when writing is no longer allowed (the lease was lost). */
  readonly beforeWrite: () => Promise<void>
}

/** What stands on the pull request now. */
export interface PublishedReview {
  readonly summary: { readonly id: string; readonly url: string }
  /** One for each comment that stands there, posted now or found from before. */
  readonly comments: readonly {
    readonly marker: string
    readonly id: string
    readonly url: string
  }[]
  /** Markers of the comments whose line the platform refused. */
  readonly refusedMarkers: readonly string[]
}

/** What an annotation shows of a finding. */
export type AnnotatedFinding = Pick<
  Finding,
  'path' | 'side' | 'startLine' | 'endLine' | 'severity' | 'category' | 'title' | 'body'
>

/** Lines of a CI job's output that the platform shows, each with its line end. */
export interface AnnotationFormat {
  /** Shown at the finding's lines. */
  finding(finding: AnnotatedFinding): string
  /** Shown with the job as a whole. */
  message(level: 'notice' | 'warning', text: string): string
}

/** How far a review is: in progress, or ended, with whether that keeps the pull request from being merged. */
export type ReviewProgress = 'pending' | { readonly end: ReviewEnd; readonly blocks: boolean }

/** The state shown on the commit. */
export interface CommitStatus {
  readonly sha: string
  /** Name of the check, for example `umpire/review`. */
  readonly context: string
  /** Each platform lowers it to the states that it has. */
  readonly state: ReviewProgress
  /** At most 140 characters. */
  readonly description: string
  readonly url: string
}

/** A conversation on a line of the pull request. */
export interface Thread {
  readonly id: string
  readonly resolved: boolean
  /** Username of who resolved it; null where nobody did, or nobody knows who. */
  readonly resolvedBy: string | null
  readonly path: string
  /** Line at the head, null when the line is gone. */
  readonly line: number | null
  readonly comments: readonly {
    readonly id: string
    readonly author: string
    readonly body: string
    readonly own: boolean
    /** Written by a program under its own name. */
    readonly bot: boolean
  }[]
}

/** The pull request inside a delivery's payload: what lists show before anyone asked the platform. */
export interface DeliveredPullRequest {
  readonly number: number
  readonly title: string
  readonly author: string
  readonly branch: string
  readonly baseBranch: string
  readonly headSha: string
  readonly url: string
  readonly state: PullRequestState
  readonly draft: boolean
  readonly additions: number
  readonly deletions: number
  /** ISO 8601; null where the payload has none. */
  readonly createdAt: string | null
  readonly updatedAt: string | null
  readonly mergedAt: string | null
}

/** One webhook request as it came: nothing of its body was parsed, so that its signature can be checked first. */
export interface UnverifiedDelivery {
  /** `repository` where the header is missing. */
  readonly targetType: string
  /** The `X-Hub-Signature-256` header as it came; null where it is missing. */
  readonly signature: string | null
  /**
   * The repository that the body names at its top level, found at a bounded cost and without parsing; null where there
   * is none, or a malformed one. Only the parsed delivery says for sure which one it is about.
   */
  findRepository(): RepositoryName | null
  /** Parses the body. @throws UmpireError `delivery_invalid` for one that isn't a JSON object, or is nested too deeply */
  parse(): Delivery
}

/** One webhook request, parsed. */
export interface Delivery {
  /** Event name from the header, else from the payload: `pull_request`, `issues`, `ping`, `unknown`. */
  readonly event: string
  /** Null where the payload has none. `synchronized` is given as `synchronize`. */
  readonly action: string | null
  /** The platform's id of this delivery; null where the header is missing. */
  readonly deliveryId: string | null
  /** `repository.full_name`; null where the payload has none, or a malformed one. */
  readonly repo: RepositoryName | null
  /** Whether the payload has a pull request, also one that can't be read. */
  readonly hasPullRequest: boolean
  /** Null where the payload has none, or one without a usable number. */
  readonly pullRequest: DeliveredPullRequest | null
  /** The received JSON, safe to store: NUL characters and lone surrogates are U+FFFD. */
  readonly payload: string
  /** What of the payload is read, in its own form. */
  readonly parsedFields: object
}

/**
 * A code-hosting platform. All methods but `readUnverifiedDelivery`, `findIssues`, `isPersonalToken` and the addresses ask the
 * network, take a signal, and throw `PlatformError`. None retries for longer than a few seconds: waiting is the job's part.
 */
export interface Platform {
  /** Also the `source` of events. */
  readonly id: string
  readonly limits: PlatformLimits

  /** Address to send a browser to for sign-in. `codeChallenge` is PKCE S256 (RFC 7636). */
  authorizeUrl(input: {
    redirectUri: string
    state: string
    codeChallenge: string
    scopes: readonly string[]
  }): string
  exchangeCode(
    input: { code: string; redirectUri: string; codeVerifier: string },
    signal?: AbortSignal,
  ): Promise<OAuthGrant>
  /** Whether the configured application and its secret are accepted. */
  acceptsOAuthApp(signal?: AbortSignal): Promise<boolean>
  getViewer(token: string, signal?: AbortSignal): Promise<Viewer>
  /**
   * Whether the account's owner may have made the token for themselves. One that shows that an application got it
   * doesn't prove who sends it: that application, and whoever runs it, has it too.
   */
  isPersonalToken(token: string): boolean
  /** Asks for nothing but what the platform and the token are. Null for no token. */
  inspect(token: string | null, signal?: AbortSignal): Promise<Inspection>
  /**
   * A page of the repositories that the token sees, the last pushed first: those whose name has `search` in it, letter
   * for letter but in any case, and with `administered` only those that the token's account administers. Looks through
   * no more than 1,000.
   *
   * @param input `page` counts from 1; at most 100 `perPage`
   */
  listRepositories(
    token: string,
    input: { search?: string; administered?: boolean; page: number; perPage: number },
    signal?: AbortSignal,
  ): Promise<RepositoryPage>
  /** The repository as the platform shows it to the token: where it was renamed, under its new name. */
  getRepository(access: Access, signal?: AbortSignal): Promise<ListedRepository>
  /**
   * What the account of that username may do in the repository; `none` where there is no such
   * account. `platform_forbidden` where the token may not ask.
   */
  getPermission(access: Access, login: string, signal?: AbortSignal): Promise<RepositoryPermission>

  /**
   * Makes a webhook for pull requests and issues, and returns its id. One that delivers to the same address already is
   * taken away for it: nobody knows its secret any more.
   */
  createWebhook(
    access: Access,
    input: { url: string; secret: string },
    signal?: AbortSignal,
  ): Promise<number>
  /** Whether the webhook stands there still, and delivers to that address. */
  hasWebhook(
    access: Access,
    input: { id: number; url: string },
    signal?: AbortSignal,
  ): Promise<boolean>
  /** Takes a webhook away; one that isn't there counts as taken away. */
  deleteWebhook(access: Access, id: number, signal?: AbortSignal): Promise<void>
  /** Reads the headers of a webhook request. */
  readUnverifiedDelivery(
    headers: Readonly<Record<string, string | string[] | undefined>>,
    rawBody: Uint8Array,
  ): UnverifiedDelivery

  getPullRequest(access: Access, number: number, signal?: AbortSignal): Promise<PullRequest>
  /** Unified diff from the merge base to the head. `platform_too_large` where the platform refuses. */
  getDiff(access: Access, number: number, signal?: AbortSignal): Promise<string>
  /** The commit where head and base parted. */
  getMergeBase(access: Access, base: string, head: string, signal?: AbortSignal): Promise<string>
  /** All changed files over all pages, up to `limits.listedFiles`. */
  listFiles(access: Access, number: number, signal?: AbortSignal): Promise<readonly ListedFile[]>
  /** Its newest commits, 100 at most, the oldest of them first. */
  listPullRequestCommits(
    access: Access,
    number: number,
    signal?: AbortSignal,
  ): Promise<readonly CommitSummary[]>
  /** The newest commits up to `ref` (a branch or commit) that touched a file, newest first, `limit` (100 at most) of them. */
  listFileCommits(
    access: Access,
    input: { path: string; ref: string; limit: number },
    signal?: AbortSignal,
  ): Promise<readonly CommitSummary[]>
  /**
   * The issues and pull requests that texts about a pull request of `repo`, or the name of its branch, name. Each once;
   * those that it says to close first. Whether there are such isn't known.
   */
  findIssues(
    repo: RepositoryName,
    input: { texts: readonly string[]; branch: string },
  ): readonly IssueReference[]
  /** An issue, or a pull request as one. Where it moved to another repository since, its `repo` is that one. */
  getIssue(access: Access, number: number, signal?: AbortSignal): Promise<LinkedIssue>
  /** Whether everybody can see the repository. */
  isPublic(access: Access, signal?: AbortSignal): Promise<boolean>
  /** A file's bytes at a commit or branch; undefined where there is none. */
  getFile(
    access: Access,
    path: string,
    ref: string,
    signal?: AbortSignal,
  ): Promise<Uint8Array | undefined>
  /** The tree at a commit or branch. `truncated` where the platform cut it. */
  getTree(
    access: Access,
    ref: string,
    signal?: AbortSignal,
  ): Promise<{ entries: readonly ListedTreeEntry[]; truncated: boolean }>
  cloneRemote(access: Access): CloneRemote
  /** Address of the page that shows a file at a commit, at a line from 1 where one is given. Safe inside a Markdown link. */
  fileUrl(
    repo: RepositoryName,
    place: { commit: string; path: string; line: number | null },
  ): string
  /** Bytes by language name. */
  getLanguages(access: Access, signal?: AbortSignal): Promise<Readonly<Record<string, number>>>
  /** Empty while the platform is still computing them. */
  listContributors(access: Access, signal?: AbortSignal): Promise<readonly ContributorStatistics[]>

  /**
   * Makes the pull request show this review and nothing twice: edits the summary in place where our account's own
   * earlier one is found by its marker, and so its inline comments that say something else by now; posts those that don't
   * stand there yet in one call, and when the platform refuses a line, the others all the same. Where an answer is lost, it
   * looks whether the write was applied, for as long as lists may be late; what stands there twice all the same is
   * removed, but for comments that somebody answered. Safe to call again after any fault.
   */
  ensureReview(
    access: Access,
    review: ReviewToPublish,
    signal?: AbortSignal,
  ): Promise<PublishedReview>
  ensureStatus(access: Access, status: CommitStatus, signal?: AbortSignal): Promise<void>
  listThreads(access: Access, number: number, signal?: AbortSignal): Promise<readonly Thread[]>
  /** Resolving a resolved thread is no error. */
  resolveThread(
    access: Access,
    number: number,
    threadId: string,
    signal?: AbortSignal,
  ): Promise<void>
}
