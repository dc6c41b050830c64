// Defines the interface that every code-hosting platform implements.
// Each implementation passes the suite in test/contracts/platform-contract.ts.
//
// Glossary
//   access    which repository to call, and on whose behalf (a token)
//   delivery  one webhook request from the platform
//   summary   the one comment on the pull request that each review edits in place
//   marker    a hidden HTML comment that identifies a comment of ours
//   thread    an inline comment and its replies
import type { DiffSide } from '../domain/diff.ts'
import type { Finding } from '../domain/finding.ts'
import type { CommentRef } from '../domain/platform-request.ts'
import type {
  CommitSummary,
  IssueReference,
  LinkedIssue,
  PullRequest,
  PullRequestState,
  RepositoryName,
} from '../domain/pull-request.ts'
import type { Decision, ReviewEnd } from '../domain/review.ts'
import type { DeliveryReader } from './delivery-reader.ts'
import type { FailedDelivery, PlatformApps } from './platform-app.ts'

export interface Access {
  readonly repo: RepositoryName
  readonly token: string
  /** The slug of the App whose installation token it is; absent for a person's token. */
  readonly appSlug?: string | undefined
}

/** Whether a platform can do something: `true`, or a sentence that says why it can't. */
type Ability = true | { readonly reason: string }

export interface PlatformLimits {
  /** Longer comment bodies are rejected. Counts characters. */
  readonly maxCommentLength: number
  /** Maximum number of files that `listFiles` returns; larger changes are read through git. */
  readonly maxListedFiles: number
  /** Keeping contributor statistics. */
  readonly contributorStatistics: Ability
  /** Resolving threads. Where it can't, the comment is edited to say that it is settled. */
  readonly resolvableThreads: Ability
  /** Approving and requesting changes in a review, and withdrawing both. */
  readonly decisions: Ability
  /** Listing the deliveries of a webhook, and sending one again. */
  readonly redeliveries: Ability
  /** Storing what other tools found, as SARIF logs of commits. */
  readonly codeScanning: Ability
  /** Storing files that CI made of a commit, in archives. */
  readonly artifacts: Ability
}

/** The account that a token belongs to. */
export interface Viewer {
  readonly id: string
  readonly login: string
  readonly name: string
  readonly avatarUrl: string
}

/** An application at which people sign in: an OAuth application, or an App. */
export interface OAuthApplication {
  readonly clientId: string
  readonly clientSecret: string
}

/** The result of exchanging an OAuth code, or of renewing an earlier one. */
export interface OAuthGrant {
  readonly token: string
  /** Empty for an App, whose tokens have permissions instead. */
  readonly scopes: readonly string[]
  /** Renews the token once; null for a token that doesn't expire. */
  readonly refreshToken: string | null
  readonly expiresAt: Date | null
}

/** What `inspect` found out about the platform and a token. */
export interface Inspection {
  /** The platform's clock, to the second; null where no header shows it. */
  readonly now: Date | null
  /** Null when no token was given. */
  readonly viewer: Viewer | null
  /** The token's scopes; null where the platform doesn't show them. */
  readonly scopes: readonly string[] | null
  /** Scopes that reviews need and the token lacks. */
  readonly missingScopes: readonly string[]
}

/** A repository that the token can see. */
export interface ListedRepository {
  /** The platform's id, which survives renames and isn't reused when a name is. */
  readonly id: string
  readonly repo: RepositoryName
  readonly private: boolean
  readonly admin: boolean
  readonly push: boolean
  readonly description: string
  readonly defaultBranch: string
}

/** Platforms with roles between two of these map them to the lower one. */
export type RepositoryPermission = 'admin' | 'write' | 'read' | 'none'

export interface RepositoryPage {
  readonly repositories: readonly ListedRepository[]
  readonly hasMore: boolean
}

/** A pull request as lists show it. */
export type ListedPullRequest = Pick<
  PullRequest,
  | ('repo' | 'number' | 'title' | 'state' | 'draft' | 'head' | 'base')
  | ('createdAt' | 'updatedAt' | 'mergedAt')
>

/** A changed file as the platform lists it. */
export interface ListedFile {
  readonly path: string
  readonly oldPath: string
  readonly status: 'added' | 'deleted' | 'modified' | 'renamed' | 'copied'
  readonly additions: number
  readonly deletions: number
}

export interface ListedTreeEntry {
  readonly path: string
  readonly kind: 'file' | 'directory' | 'symlink' | 'submodule'
  readonly size: number
  readonly oid: string
}

/** Counts a contributor's work on the default branch over all time. */
export interface ContributorStatistics {
  readonly login: string
  readonly commits: number
  readonly additions: number
  readonly deletions: number
}

/**
 * Where to clone from. `headers` holds the authorization, passed to git by environment, not URL.
 */
interface CloneRemote {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** The 1-based number of a line before and after the change; null on the side that lacks it. */
export interface LineNumbers {
  readonly old: number | null
  readonly new: number | null
}

/** Lines of the diff from the merge base to the head. */
export interface DiffPlace {
  readonly path: string
  /** Path before the change. */
  readonly oldPath: string
  /** The side that the lines were chosen on: their numbers are not null there. */
  readonly side: DiffSide
  /** Equal to `end` for a single line. */
  readonly start: LineNumbers
  readonly end: LineNumbers
}

/** An inline comment to post on lines of the diff. */
export interface InlineComment {
  /** Hidden text at the end of `body` that no other comment contains. */
  readonly marker: string
  readonly place: DiffPlace
  readonly body: string
}

/** Everything that a review shows on the pull request. */
export interface ReviewToPublish {
  readonly number: number
  /** The reviewed commit, to which the inline comments are tied. */
  readonly headSha: string
  readonly summary: {
    /** Hidden text that identifies an earlier summary; `body` begins with it. */
    readonly marker: string
    readonly body: string
    /** URL of the latest summary, which lists may not show yet; null where none was posted. */
    readonly url: string | null
    /** Returns the body with links to the comments, which are posted after it. */
    readonly linkTo?: (comments: PublishedReview['comments']) => string
  }
  readonly comments: readonly InlineComment[]
  /** Comments of earlier reviews whose text is updated; they are not posted if missing. */
  readonly updateOnly: readonly Pick<InlineComment, 'marker' | 'body'>[]
  /** Markers of comments that earlier reviews posted and this review has no text for. */
  readonly formerMarkers: readonly string[]
  /**
   * URLs of comments that earlier reviews posted, possibly with the token of another account. They
   * are edited as if this account had posted them; if the platform refuses that, the comment is
   * posted again.
   */
  readonly postedUrls: readonly string[]
  /** Null for a review that neither approves nor blocks. */
  readonly decision: Decision | null
  /** Whether an earlier attempt may have posted a part, which lists may not show yet. */
  readonly mayBePosted?: boolean
  /** Called before every write. It throws when the lease was lost and writing must stop. */
  readonly beforeWrite: () => Promise<void>
}

/** What the pull request shows after publishing. */
export interface PublishedReview {
  readonly summary: { readonly id: string; readonly url: string }
  /** All our comments on the pull request, posted now or earlier. */
  readonly comments: readonly {
    readonly marker: string
    readonly id: string
    readonly url: string
  }[]
  /** Markers of the comments that the platform rejected because of their line. */
  readonly refusedMarkers: readonly string[]
  /** The requested decision if it holds now; null if none was requested, or it was not made. */
  readonly decision: Decision | null
}

/** Decisions of earlier reviews that don't hold any more. */
export interface DecisionsToWithdraw {
  readonly number: number
  readonly decisions: readonly Decision[]
  /** One sentence for people. */
  readonly reason: string
  /** Called before every write. It throws when writing must stop. */
  readonly beforeWrite: () => Promise<void>
}

/** The fields of a finding that an annotation contains. */
export type AnnotatedFinding = Pick<
  Finding,
  'path' | 'side' | 'startLine' | 'endLine' | 'severity' | 'category' | 'title' | 'body'
>

/** A SARIF log in the platform's code scanning. */
export interface ListedAnalysis {
  readonly id: string
  /** The name of the tool. */
  readonly tool: string
  /** Distinguishes logs of one tool about the same commit. */
  readonly category: string
  /** The commit that the tool read. */
  readonly sha: string
  /** Whether it is a trial merge of the head, where lines may have other numbers. */
  readonly isMerge: boolean
  /** Counts what the tool found. */
  readonly results: number
}

/** An archive (ZIP) with files that CI made of a commit. */
export interface ListedArtifact {
  readonly id: string
  readonly name: string
  /** Its size in bytes. */
  readonly size: number
  /** As in `ListedAnalysis`. */
  readonly isMerge: boolean
}

/** What CI has made of a commit until now. */
interface ArtifactList {
  readonly artifacts: readonly ListedArtifact[]
  /** Whether a run that may add some has not ended, or none has started yet. */
  readonly mayGrow: boolean
}

/** Builds lines of a CI job's output that the platform displays, each with its line end. */
export interface AnnotationFormat {
  /** Builds an annotation that is shown at the finding's lines. */
  finding(finding: AnnotatedFinding): string
  /** Builds an annotation that is shown for the job as a whole. */
  message(level: 'notice' | 'warning', text: string): string
}

/** In progress, or the end of the review and whether it blocks merging. */
export type ReviewProgress = 'pending' | { readonly end: ReviewEnd; readonly blocks: boolean }

/** A button on a check. People with write access can press it. */
export interface CheckButton {
  readonly request: 'review' | 'dismiss_minor'
  /** At most 20 characters. */
  readonly label: string
  /** At most 40 characters. */
  readonly description: string
}

/** What a commit shows of a review: in one line, and in full where the platform can show that. */
export interface Check {
  readonly sha: string
  /** Identifies the check, for example `umpire/review`. */
  readonly name: string
  /** Platforms with fewer states map it to those that they have. */
  readonly state: ReviewProgress
  /** One line. A commit status shows its first 140 characters. */
  readonly title: string
  /** Markdown. Lines that are too many for the platform are left out. */
  readonly summary: string
  /** Shown at the lines of the commit. Platforms can't remove those that were shown before. */
  readonly annotations: readonly AnnotatedFinding[]
  readonly buttons: readonly CheckButton[]
  /** The page with the details. */
  readonly url: string
  /** Called before every write. It throws when writing must stop. */
  readonly beforeWrite: () => Promise<void>
}

/** Seen, done, and refused or failed. */
export type CommentReaction = 'eyes' | '+1' | 'confused'

/** Not every host finds a comment by its id alone. */
interface CommentOnPull extends CommentRef {
  /** It is the number of the pull request. */
  readonly number: number
}

/** It answers a comment. */
export interface Reply {
  /** It is the number of the pull request. */
  readonly number: number
  readonly to: CommentRef
  /** Hidden text that `body` begins with, and that no other comment contains. */
  readonly marker: string
  readonly body: string
  /** Called before every write. It throws when writing must stop. */
  readonly beforeWrite: () => Promise<void>
}

/** The maximum number of comments that `listComments` returns. */
export const maxListedComments = 1000

/** The oldest comment is the first. */
export interface CommentList {
  readonly comments: readonly ListedComment[]
  /** Whether the comments of every pull request could be read. */
  readonly isComplete: boolean
}

/** A comment that a person wrote on a pull request. */
export interface ListedComment {
  /** It is the number of the pull request. */
  readonly number: number
  readonly comment: CommentRef
  readonly body: string
  readonly sender: { readonly id: string; readonly login: string }
  /** It is the platform's time. */
  readonly createdAt: Date
}

export interface Thread {
  readonly id: string
  readonly resolved: boolean
  /** Login of the account that resolved it; null when it isn't resolved or the account is gone. */
  readonly resolvedBy: string | null
  readonly path: string
  /** Line at the head; null when the line no longer exists. */
  readonly line: number | null
  readonly comments: readonly {
    readonly id: string
    readonly author: string
    readonly body: string
    /** Whether this account or an earlier review wrote it. */
    readonly own: boolean
    /** Whether an application account wrote it. */
    readonly bot: boolean
  }[]
}

/** The pull request in a delivery's payload, which lists show before the first API call. */
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

/** A webhook request with an unparsed body, so that its sender can be verified first. */
export interface UnverifiedDelivery {
  /** Whether it was sent for an App, whose deliveries have an address of their own. */
  readonly isAppLevel: boolean
  /** Whether it proves that its sender knows one of the secrets. */
  isSentWith(secrets: readonly string[]): boolean
  /**
   * The repository named at the top level of the body, found without parsing and at a bounded cost.
   * Null where there is none or its name is invalid. Only the parsed delivery is authoritative.
   */
  findRepository(): RepositoryName | null
  /**
   * Parses the body.
   *
   * @throws UmpireError `delivery_invalid` when it isn't a JSON object or is nested too deeply
   */
  parse(): Delivery
}

export interface Delivery {
  /**
   * From the header, else inferred from the payload: `pull_request`, `issues`, `ping`, `unknown`.
   * Adapters map the names of their platform to GitHub's, of actions too.
   */
  readonly event: string
  /** Null when the payload has none. A push to a pull request is `synchronize`. */
  readonly action: string | null
  /** The platform's id of this delivery; null when the header is missing. */
  readonly deliveryId: string | null
  /** `repository.full_name`; null when the payload has none or it is invalid. */
  readonly repo: RepositoryName | null
  /** Whether the payload contains a pull request, even one that can't be read. */
  readonly hasPullRequest: boolean
  /** Null when the payload has none, or one without a valid number. */
  readonly pullRequest: DeliveredPullRequest | null
  /** The received JSON with NUL characters and lone surrogates replaced by U+FFFD for storage. */
  readonly payload: string
  /** The fields of the payload that are read, in the payload's structure. */
  readonly parsedFields: object
}

/**
 * A code-hosting platform. The methods that call the network take a signal, throw `PlatformError`
 * and retry for a few seconds at most: longer waits belong to the job.
 */
export interface Platform {
  /** Also stored as the `source` of events. */
  readonly id: string
  /** Its words, for what people read. */
  readonly terms: {
    /** Its name, for example `GitHub`. */
    readonly platform: string
    readonly pullRequest: 'pull request' | 'merge request'
    /** Says what a personal access token must permit, in whole sentences. */
    readonly tokenHelp: string
  }
  readonly limits: PlatformLimits
  /**
   * The info string of the code fence around replacement lines that people can apply to the `lines`
   * that a comment is about. Null where they can't; then the replacement is shown as a diff.
   */
  readonly suggestionFence: ((lines: number) => string) | null
  /**
   * Names of the repositories with settings for all repositories of their owner. The first one that
   * has such a file is used.
   */
  readonly settingsRepositories: readonly string[]
  /** Null where the platform has no Apps. */
  readonly apps: PlatformApps | null
  /**
   * Reads deliveries to webhooks of repositories. Null where these carry no such requests, because
   * deliveries to an App do.
   */
  readonly hookReader: DeliveryReader | null

  /**
   * Address of the sign-in page, which asks for the scopes that Umpire needs. `codeChallenge` is
   * PKCE S256 (RFC 7636).
   */
  authorizeUrl(
    application: Pick<OAuthApplication, 'clientId'>,
    input: { redirectUri: string; state: string; codeChallenge: string },
  ): string
  exchangeCode(
    application: OAuthApplication,
    input: { code: string; redirectUri: string; codeVerifier: string },
    signal?: AbortSignal,
  ): Promise<OAuthGrant>
  /**
   * Renews a token that expires, and makes the former one invalid.
   *
   * @throws PlatformError `platform_unauthorized` for a refresh token that was used or has expired
   */
  renewGrant(
    application: OAuthApplication,
    refreshToken: string,
    signal?: AbortSignal,
  ): Promise<OAuthGrant>
  /** Whether the platform accepts the application and its secret. */
  acceptsOAuthApp(application: OAuthApplication, signal?: AbortSignal): Promise<boolean>
  getViewer(token: string, signal?: AbortSignal): Promise<Viewer>
  /**
   * Whether the token may be one that the account's owner created. A token that was issued to an
   * application doesn't prove the sender's identity: the application's operator has it too.
   */
  isPersonalToken(token: string): boolean
  /** Reads the platform's clock, and the account and scopes of a token if one is given. */
  inspect(token: string | null, signal?: AbortSignal): Promise<Inspection>
  /**
   * Lists a page of the repositories that the token can see, most recently pushed first. `search`
   * matches a part of the name, ignoring case; `administered` selects those that the token's
   * account administers. Searches the first 1,000 repositories.
   *
   * @param input `page` counts from 1; at most 100 `perPage`
   */
  listRepositories(
    token: string,
    input: { search?: string; administered?: boolean; page: number; perPage: number },
    signal?: AbortSignal,
  ): Promise<RepositoryPage>
  /** The repository as the token sees it, with its current name after a rename. */
  getRepository(access: Access, signal?: AbortSignal): Promise<ListedRepository>
  /**
   * Permission of the account with that login; `none` when there is no such account.
   *
   * @throws PlatformError `platform_forbidden` when the token may not read permissions
   */
  getPermission(access: Access, login: string, signal?: AbortSignal): Promise<RepositoryPermission>

  /**
   * Creates a webhook for pull requests and issues, and returns its id. Replaces a webhook with the
   * same address, because its secret is unknown.
   */
  createWebhook(
    access: Access,
    input: { url: string; secret: string },
    signal?: AbortSignal,
  ): Promise<number>
  /** Whether the webhook exists, is active and delivers to that address. */
  hasWebhook(
    access: Access,
    input: { id: number; url: string },
    signal?: AbortSignal,
  ): Promise<boolean>
  /**
   * Replaces the secret of a webhook, and nothing else of it. Returns its id, which is another one
   * where the platform can't change a webhook: then another one replaces it.
   *
   * @throws PlatformError `platform_not_found` when it doesn't exist
   */
  setWebhookSecret(
    access: Access,
    input: { id: number; secret: string },
    signal?: AbortSignal,
  ): Promise<number>
  /** Deletes a webhook. Does nothing when it doesn't exist. */
  deleteWebhook(access: Access, id: number, signal?: AbortSignal): Promise<void>
  /** Like `PlatformApps.listFailedDeliveries`, for a webhook of the repository. */
  listFailedDeliveries(
    access: Access,
    input: { webhookId: number; since: Date },
    signal?: AbortSignal,
  ): Promise<readonly FailedDelivery[]>
  /** Like `PlatformApps.redeliver`, for a webhook of the repository. */
  redeliver(
    access: Access,
    input: { webhookId: number; attemptId: string },
    signal?: AbortSignal,
  ): Promise<void>
  /** Reads the headers of a webhook request. */
  readUnverifiedDelivery(
    headers: Readonly<Record<string, string | string[] | undefined>>,
    rawBody: Uint8Array,
  ): UnverifiedDelivery

  getPullRequest(access: Access, number: number, signal?: AbortSignal): Promise<PullRequest>
  /**
   * Lists the pull requests of all states that changed since then, the newest change first. Lists
   * 1,000 at most.
   */
  listPullRequests(
    access: Access,
    updatedSince: Date,
    signal?: AbortSignal,
  ): Promise<readonly ListedPullRequest[]>
  /**
   * Unified diff from the merge base to the head.
   *
   * @throws PlatformError `platform_too_large` when the platform refuses to build it
   */
  getDiff(access: Access, number: number, signal?: AbortSignal): Promise<string>
  /** Finds the newest common ancestor of head and base. */
  getMergeBase(access: Access, base: string, head: string, signal?: AbortSignal): Promise<string>
  /** All changed files over all pages, up to `limits.maxListedFiles`. */
  listFiles(access: Access, number: number, signal?: AbortSignal): Promise<readonly ListedFile[]>
  /** Returns the newest commits of a pull request, at most 100, starting with the oldest. */
  listPullRequestCommits(
    access: Access,
    number: number,
    signal?: AbortSignal,
  ): Promise<readonly CommitSummary[]>
  /**
   * Lists the newest commits that changed a file, newest first.
   *
   * @param input `ref` is a branch or commit to start from; `limit` is at most 100
   */
  listFileCommits(
    access: Access,
    input: { path: string; ref: string; limit: number },
    signal?: AbortSignal,
  ): Promise<readonly CommitSummary[]>
  /**
   * Finds the issues and pull requests that the texts of a pull request or its branch name mention.
   * Returns each once, those to be closed first, without checking that they exist.
   */
  findIssues(
    repo: RepositoryName,
    input: { texts: readonly string[]; branch: string },
  ): readonly IssueReference[]
  /** An issue or pull request. `repo` is its current repository, which changes when it is moved. */
  getIssue(access: Access, number: number, signal?: AbortSignal): Promise<LinkedIssue>
  /** Whether the repository is visible without signing in. */
  isPublic(access: Access, signal?: AbortSignal): Promise<boolean>
  /** A file's bytes at a commit or branch; undefined when there is no such file. */
  getFile(
    access: Access,
    path: string,
    ref: string,
    signal?: AbortSignal,
  ): Promise<Uint8Array | undefined>
  /** The tree at a commit or branch. `truncated` is true when the platform returned only a part. */
  getTree(
    access: Access,
    ref: string,
    signal?: AbortSignal,
  ): Promise<{ entries: readonly ListedTreeEntry[]; truncated: boolean }>
  cloneRemote(access: Access): CloneRemote
  /** Address of a file's page at a commit and 1-based line, safe to use in a Markdown link. */
  fileUrl(
    repo: RepositoryName,
    location: { commit: string; path: string; line: number | null },
  ): string
  /** Counts the bytes of each language, by its name. */
  getLanguages(access: Access, signal?: AbortSignal): Promise<Readonly<Record<string, number>>>
  /**
   * Lists the logs of a head of a pull request, or the newest ones of a branch; the newest first.
   * It lists none where the platform has no code scanning.
   *
   * @throws PlatformError `platform_forbidden` or `platform_not_found` if it isn't enabled for the
   *   repository, or if the token may not read it
   */
  listAnalyses(
    access: Access,
    of: { readonly number: number; readonly headSha: string } | { readonly branch: string },
    signal?: AbortSignal,
  ): Promise<readonly ListedAnalysis[]>
  /**
   * Downloads a log.
   *
   * @throws PlatformError `platform_too_large` if it is longer than `maxBytes`
   */
  getAnalysis(
    access: Access,
    input: { readonly id: string; readonly maxBytes: number },
    signal?: AbortSignal,
  ): Promise<Uint8Array>
  /**
   * Lists what runs of CI that have ended made of a head, the newest run first. Leaves out expired
   * artifacts, and runs that read another commit. It lists none where the platform has none.
   */
  listArtifacts(access: Access, headSha: string, signal?: AbortSignal): Promise<ArtifactList>
  /**
   * Downloads an artifact.
   *
   * @throws PlatformError `platform_too_large` if it is longer than `maxBytes`
   */
  getArtifact(
    access: Access,
    input: { readonly id: string; readonly maxBytes: number },
    signal?: AbortSignal,
  ): Promise<Uint8Array>
  /** Contributors by commits; empty while the platform is still computing the statistics. */
  listContributors(access: Access, signal?: AbortSignal): Promise<readonly ContributorStatistics[]>

  /**
   * Makes the pull request show this review exactly once, and is safe to repeat after any failure.
   * Edits our earlier summary and inline comments, and posts the missing comments in one call. Ours
   * are those with a marker that this account wrote or `postedUrls` names. When the platform
   * rejects a line, the other comments are posted. When a response is lost, it looks for the
   * written item before it writes again. Duplicates are deleted unless they have replies.
   *
   * The decision is not made where a person overrode ours on this head, where the account's person
   * made another one, and on the account's own pull request.
   */
  ensureReview(
    access: Access,
    review: ReviewToPublish,
    signal?: AbortSignal,
  ): Promise<PublishedReview>
  /**
   * Withdraws decisions that `ensureReview` posted, also with another account. Safe to repeat after
   * any failure. An approval that the platform doesn't let this account withdraw is replaced by a
   * request for changes, because it must not count any longer.
   *
   * @returns our decision that still holds
   */
  withdrawDecisions(
    access: Access,
    withdrawal: DecisionsToWithdraw,
    signal?: AbortSignal,
  ): Promise<Decision | null>
  /**
   * Makes the commit show this check, once by each name, and is safe to repeat after any failure.
   * An App shows a check with annotations and buttons; a person's token shows a commit status.
   */
  ensureCheck(access: Access, check: Check, signal?: AbortSignal): Promise<void>
  /** Whether a URL is that of a comment, also after the repository was renamed. */
  isUrlOf(url: string, comment: Pick<CommentRef, 'id' | 'isInline'>): boolean
  /** Adds a reaction of this account to a comment. Does nothing when it was added before. */
  addReaction(
    access: Access,
    comment: CommentOnPull,
    reaction: CommentReaction,
    signal?: AbortSignal,
  ): Promise<void>
  /**
   * Answers a comment once, and is safe to repeat after any failure: in its thread, else in the
   * conversation. An answer of this account that begins with the marker stays as it is.
   *
   * @throws PlatformError `platform_not_found` if the thread is gone
   */
  ensureReply(access: Access, reply: Reply, signal?: AbortSignal): Promise<void>
  /**
   * Lists the comments that people wrote on all pull requests of the repository since then, the
   * oldest first. Leaves out those that were edited, which another person may have done. Lists
   * `maxListedComments` at most.
   */
  listComments(access: Access, since: Date, signal?: AbortSignal): Promise<CommentList>
  /** @param postedUrls URLs of comments that earlier reviews posted, as in `ReviewToPublish` */
  listThreads(
    access: Access,
    number: number,
    postedUrls: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly Thread[]>
  /** Resolves a thread. Does nothing when it is already resolved. */
  resolveThread(
    access: Access,
    number: number,
    threadId: string,
    signal?: AbortSignal,
  ): Promise<void>
}

/** How an adapter reaches its host. No address ends with a slash. */
export interface HostConfig {
  /** Address of its pages and clones. */
  readonly url: string
  readonly apiUrl: string
  readonly userAgent: string
  /** Maximum duration of one call including its response; 30 s by default. */
  readonly timeoutMs?: number
}
