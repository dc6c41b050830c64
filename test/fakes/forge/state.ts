// The state of the forge: users, repositories, pull requests, deliveries, requests.
import { EventEmitter, setMaxListeners } from 'node:events'
import type { App, AppConversion, Installation } from './apps/app-state.ts'
import type { CheckRun, CheckSuite } from './checks/check-state.ts'
import type { MergeGroup } from './checks/merge-queue.ts'
import type { Comparison } from './comparison.ts'
import type { FaultyDeliveries } from './delivery-faults.ts'
import type { FaultRule } from './faults.ts'
import type { Exchange } from './http.ts'
import type { SecondaryLimit } from './secondary-limit.ts'

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
  body: string
  readonly commitId: string
  readonly submittedAt: string
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

export interface InlineComment {
  readonly id: number
  readonly reviewId: number
  readonly author: User
  body: string
  edits: number
  /** Who edited it last; null where nobody did. */
  editor: User | null
  readonly reactions: Reaction[]
  readonly createdAt: string
  updatedAt: string
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
  mergedAt: string | null
  mergedBy: User | null
  mergeCommitSha: string | null
  additions: number
  deletions: number
  changedFiles: number
  commits: number
  readonly reviews: Review[]
  requestedReviewers: User[]
  inlineComments: InlineComment[]
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
  readonly createdAt: string
  pushedAt: string
  /** Commits for which contributor statistics were requested. */
  readonly statisticsRequested: Set<string>
  readonly comparisons: Map<string, Promise<Comparison>>
  /** The end of the queue of writes to the git repository. */
  writes: Promise<unknown>
}

/** One attempt of a delivery. */
export interface DeliveryAttempt {
  /** The first attempt has the delivery's own id. */
  readonly id: number
  readonly startedAt: string
  /** 0 when there was no answer. */
  readonly status: number
  readonly responseHeaders: Readonly<Record<string, string | string[] | undefined>>
  readonly responseBody: string
  readonly error: string | null
}

/** A webhook request with all its attempts. */
export interface Delivery {
  readonly id: number
  readonly guid: string
  readonly hookId: number
  /** The repository's full name; null for events about an installation. */
  readonly repo: string | null
  readonly repositoryId: number | null
  readonly installationId: number | null
  readonly event: string
  readonly action: string | null
  readonly request: {
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  readonly payload: Readonly<Record<string, unknown>>
  readonly attempts: DeliveryAttempt[]
  /** Status of the newest attempt; null before the first one ended. */
  readonly status: number | null
}

/** A request that reached the forge. */
export interface SeenRequest {
  readonly method: string
  /** Path without the query, as it was sent. */
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Empty for git's own protocol, which isn't text. */
  readonly body: string
  /** Login of the token's owner; null without a (good) token. */
  readonly login: string | null
  /** Null until it was answered, 0 when the connection was dropped. */
  readonly status: number | null
}

export interface OAuthApp {
  readonly clientId: string
  readonly clientSecret: string
  /** Redirects must be at or below this address; null allows all. */
  readonly callbackUrl: string | null
  /** Set for the sign-in of a GitHub App. */
  readonly app?: App
}

export interface OAuthCode {
  readonly user: User
  readonly clientId: string
  readonly redirectUri: string | null
  readonly scopes: readonly string[]
  readonly challenge: string | null
  readonly expiresAt: number
}

/** Renews the token of a person who signed in to an App; it works once. */
export interface RefreshToken {
  readonly user: User
  readonly app: App
  readonly accessToken: string
  readonly expiresAt: number
}

/** GitHub's limits, settable so that tests needn't be large. */
export interface ForgeLimits {
  diffFiles: number
  diffLines: number
  listedFiles: number
  treeEntries: number
  commentLength: number
  deliveryTimeoutMs: number
}

/** How late lists of comments, reviews and threads include new entries. */
export interface ListDelay {
  lagMs: number
  /** Entries created later than this are omitted; in time of `performance.now()`. */
  showUntil: number
}

export interface RateLimit {
  limit: number
  /** Each API request decrements it; at 0 requests are refused. */
  remaining: number
  /** Unix time in seconds. */
  reset: number
}

export interface ForgeState {
  url: string
  readonly dataDir: string
  /** The time here: the given clock's, shifted by tests. */
  readonly clock: () => Date
  clockShiftMs: number
  readonly observe: (exchange: Exchange) => void
  lastId: number
  readonly users: Map<string, User>
  readonly tokens: Map<string, Token>
  /** By lower-case full name. */
  readonly repositories: Map<string, Repository>
  /** Former names, by lower-case full name. */
  readonly formerNames: Map<string, Repository>
  readonly apps: App[]
  /** By code. */
  readonly conversions: Map<string, AppConversion>
  readonly deliveries: Delivery[]
  readonly requests: SeenRequest[]
  readonly faults: FaultRule[]
  /** Null where all deliveries are sent at once and in order. */
  deliveryFaults: FaultyDeliveries | null
  readonly limits: ForgeLimits
  readonly rateLimit: RateLimit
  readonly secondaryLimit: SecondaryLimit
  /** When an account created content, by its id. */
  readonly writeTimes: Map<number, number[]>
  readonly lists: ListDelay
  /** The creation time of each entry by id, in time of `performance.now()`. */
  readonly createdAtById: Map<number, number>
  readonly oauth: {
    readonly apps: Map<string, OAuthApp>
    readonly codes: Map<string, OAuthCode>
    readonly refreshTokens: Map<string, RefreshToken>
    signedIn: User | null
    denyNext: boolean
  }
  readonly changes: EventEmitter
  readonly stop: AbortController
}

export function createState(
  dataDir: string,
  baseClock: () => Date,
  observe: (exchange: Exchange) => void = () => {},
): ForgeState {
  const changes = new EventEmitter()
  const stop = new AbortController()
  // Many waits may be pending at once.
  setMaxListeners(0, changes, stop.signal)
  const state: ForgeState = {
    url: '',
    dataDir,
    clock: () => new Date(baseClock().getTime() + state.clockShiftMs),
    clockShiftMs: 0,
    observe,
    lastId: 1000,
    users: new Map(),
    tokens: new Map(),
    repositories: new Map(),
    formerNames: new Map(),
    apps: [],
    conversions: new Map(),
    deliveries: [],
    requests: [],
    faults: [],
    deliveryFaults: null,
    limits: {
      diffFiles: 300,
      diffLines: 20_000,
      listedFiles: 3000,
      treeEntries: 100_000,
      commentLength: 65_536,
      deliveryTimeoutMs: 10_000,
    },
    rateLimit: {
      limit: 5000,
      remaining: 1_000_000,
      reset: Math.floor(baseClock().getTime() / 1000) + 3600,
    },
    secondaryLimit: { perMinute: null, perHour: null, status: 403 },
    writeTimes: new Map(),
    lists: { lagMs: 0, showUntil: Number.POSITIVE_INFINITY },
    createdAtById: new Map(),
    oauth: {
      apps: new Map(),
      codes: new Map(),
      refreshTokens: new Map(),
      signedIn: null,
      denyNext: false,
    },
    changes,
    stop,
  }
  return state
}

/** Returns an id that is unique in this forge. */
export function nextId(state: ForgeState): number {
  state.lastId += 1
  state.createdAtById.set(state.lastId, performance.now())
  return state.lastId
}

/** Returns the entries that a list includes, without late ones. */
export function listVisible<T extends { readonly id: number }>(
  state: ForgeState,
  items: readonly T[],
): T[] {
  const { lagMs, showUntil } = state.lists
  const newest = Math.min(performance.now() - lagMs, showUntil)
  return items.filter(({ id }) => (state.createdAtById.get(id) ?? 0) <= newest)
}

/** ISO 8601 with whole seconds, as GitHub writes times. */
export function now(state: ForgeState): string {
  return state
    .clock()
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
}

/** Wakes all waits for a change of the state. */
export function announceChange(state: ForgeState): void {
  state.changes.emit('change')
}

export function fullName(repository: Repository): string {
  return `${repository.owner.login}/${repository.name}`
}

/** Throws an Error that names what is missing: for the forge's own callers, not for its clients. */
export function userNamed(state: ForgeState, login: string): User {
  const user = state.users.get(login.toLowerCase())
  if (user === undefined) throw new Error(`The forge has no user ${login}.`)
  return user
}

/** Throws an Error that names what is missing: for the forge's own callers, not for its clients. */
export function repositoryNamed(state: ForgeState, name: string): Repository {
  const repository = state.repositories.get(name.toLowerCase())
  if (repository === undefined) throw new Error(`The forge has no repository ${name}.`)
  return repository
}

/** Throws an Error that names what is missing: for the forge's own callers, not for its clients. */
export function pullNumbered(state: ForgeState, name: string, number: number): PullRequest {
  const pull = repositoryNamed(state, name).pulls.get(number)
  if (pull === undefined) throw new Error(`The forge has no pull request ${name}#${number}.`)
  return pull
}
