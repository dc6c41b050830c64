// The state of the forge: users, repositories, pull requests, deliveries, requests.
import { EventEmitter, setMaxListeners } from 'node:events'
import type { App, AppConversion } from './apps/app-state.ts'
import type { FaultyDeliveries } from './delivery-faults.ts'
import type { Dialect } from './dialect.ts'
import type { IssueComment, PullRequest, Repository, Token, User } from './entities.ts'
import type { FaultRule } from './faults.ts'
import type { Exchange } from './http.ts'
import type { SecondaryLimit } from './secondary-limit.ts'

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

/** What a token that renews a sign-in stands for. */
export interface OAuthGrant {
  readonly user: User
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly expiresAt: number
  /** Why it renews nothing any more. */
  end: 'used' | 'revoked' | null
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
  readonly dialect: Dialect
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
  /** The writes of an account in the last hour, by its id. */
  readonly writeTimes: Map<number, { readonly time: number; readonly notifies: boolean }[]>
  readonly lists: ListDelay
  /** The creation time of each entry by id, in time of `performance.now()`. */
  readonly createdAtById: Map<number, number>
  readonly oauth: {
    readonly apps: Map<string, OAuthApp>
    readonly codes: Map<string, OAuthCode>
    readonly refreshTokens: Map<string, RefreshToken>
    /** The tokens that renew sign-ins, of hosts where those of all applications end. */
    readonly grants: Map<string, OAuthGrant>
    signedIn: User | null
    denyNext: boolean
  }
  /** The address of the storage of artifacts; null before the first one. */
  storageUrl: Promise<string> | null
  readonly changes: EventEmitter
  readonly stop: AbortController
}

export function createState(
  dialect: Dialect,
  dataDir: string,
  baseClock: () => Date,
  observe: (exchange: Exchange) => void = () => {},
): ForgeState {
  const changes = new EventEmitter()
  const stop = new AbortController()
  // Many waits may be pending at once.
  setMaxListeners(0, changes, stop.signal)
  const state: ForgeState = {
    dialect,
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
      grants: new Map(),
      signedIn: null,
      denyNext: false,
    },
    storageUrl: null,
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

/** Changes the text of a comment. Returns the former one. */
export function changeText(
  state: ForgeState,
  comment: IssueComment,
  body: string,
  by: User,
): string {
  const former = comment.body
  comment.body = body
  comment.edits += 1
  comment.editor = by
  comment.updatedAt = now(state)
  return former
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
