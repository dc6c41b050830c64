// The state of the forge: users, repositories, pull requests, deliveries, requests.
import { EventEmitter, setMaxListeners } from 'node:events'
import type { Comparison } from './comparison.ts'
import type { FaultRule } from './faults.ts'

export type Permission = 'none' | 'read' | 'write' | 'admin'

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

export interface IssueComment {
  readonly id: number
  readonly author: User
  body: string
  edits: number
  readonly createdAt: string
  updatedAt: string
}

export interface Review {
  readonly id: number
  readonly author: User
  readonly state: 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED'
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
  /** Pull requests are issues too: those are in both maps. */
  readonly issues: Map<number, Issue>
  readonly pulls: Map<number, PullRequest>
  readonly statuses: CommitStatus[]
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
  readonly repo: string
  readonly event: string
  readonly action: string | null
  readonly request: {
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  readonly payload: Record<string, unknown>
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
}

export interface OAuthCode {
  readonly user: User
  readonly clientId: string
  readonly redirectUri: string | null
  readonly scopes: readonly string[]
  readonly challenge: string | null
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
  readonly clock: () => Date
  lastId: number
  readonly users: Map<string, User>
  readonly tokens: Map<string, Token>
  /** By lower-case full name. */
  readonly repositories: Map<string, Repository>
  /** Former names, by lower-case full name. */
  readonly formerNames: Map<string, Repository>
  readonly deliveries: Delivery[]
  readonly requests: SeenRequest[]
  readonly faults: FaultRule[]
  readonly limits: ForgeLimits
  readonly rateLimit: RateLimit
  readonly lists: ListDelay
  /** The creation time of each entry by id, in time of `performance.now()`. */
  readonly createdAtById: Map<number, number>
  readonly oauth: {
    readonly apps: Map<string, OAuthApp>
    readonly codes: Map<string, OAuthCode>
    signedIn: User | null
    denyNext: boolean
  }
  readonly changes: EventEmitter
  readonly stop: AbortController
}

export function createState(dataDir: string, clock: () => Date): ForgeState {
  const changes = new EventEmitter()
  const stop = new AbortController()
  // Many waits may be pending at once.
  setMaxListeners(0, changes, stop.signal)
  return {
    url: '',
    dataDir,
    clock,
    lastId: 1000,
    users: new Map(),
    tokens: new Map(),
    repositories: new Map(),
    formerNames: new Map(),
    deliveries: [],
    requests: [],
    faults: [],
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
      reset: Math.floor(clock().getTime() / 1000) + 3600,
    },
    lists: { lagMs: 0, showUntil: Number.POSITIVE_INFINITY },
    createdAtById: new Map(),
    oauth: { apps: new Map(), codes: new Map(), signedIn: null, denyNext: false },
    changes,
    stop,
  }
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

/** Returns the access of a token to a repository, by its owner and its scopes. */
export function permissionOf(token: Token | null, repository: Repository): Permission {
  const scopes = token?.scopes ?? []
  const open: Permission = repository.private ? 'none' : 'read'
  if (
    token === null ||
    !(scopes.includes('repo') || (!repository.private && scopes.includes('public_repo')))
  ) {
    return open
  }
  if (token.user.id === repository.owner.id) return 'admin'
  return repository.collaborators.get(token.user.login.toLowerCase()) ?? open
}

const permissionRanks: Record<Permission, number> = { none: 0, read: 1, write: 2, admin: 3 }

export function permits(has: Permission, needed: Permission): boolean {
  return permissionRanks[has] >= permissionRanks[needed]
}
