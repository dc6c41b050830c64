// Defines how to reach a host, and what differs between the requests of hosts.
import type { PlatformError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { createFairSemaphore, type FairSemaphore } from '../../lib/semaphore.ts'
import type { HostConfig, Platform } from '../platform.ts'
import {
  createPlatformCallRecorder,
  type PlatformCallRecorder,
  type PlatformMetrics,
  type RateLimit,
} from '../record-platform-calls.ts'
import type { WritePacer } from '../write-pacer.ts'
import { createResponseCache, type ResponseCache } from './response-cache.ts'

/** Addresses have no slash at the end. */
export interface Connection {
  readonly webUrl: string
  readonly apiUrl: string
  readonly userAgent: string
  /** Includes redirects and reading the response. */
  readonly timeoutMs: number
  /** Limits concurrent calls. A party is a token and owner, because owners may share a token. */
  readonly semaphore: FairSemaphore
  readonly callRecorder: PlatformCallRecorder
  readonly writePacer: WritePacer
  readonly responseCache: ResponseCache
  readonly rules: RequestRules
}

/** How a host wants its requests, and what its answers mean. */
export interface RequestRules {
  /** Sent with each request. A call may override `accept`. */
  readonly headers: Readonly<Record<string, string>>
  /** The header that carries a token. */
  authorize(token: string): Readonly<Record<string, string>>
  /** The parameter of a list's query that sets how many items a page has. */
  readonly pageSizeParameter: string
  /** Null for reads, and for calls that no limit of writes counts. */
  classifyWrite(call: ApiCall): 'notifying' | 'silent' | null
  /** Undefined where the headers show no limit. */
  readRateLimit(headers: Headers): RateLimit | undefined
  /**
   * Builds the error for a status of 300 or more. Its message is safe to show to anyone.
   *
   * @param token that of the call, which the host may repeat
   */
  toError(
    status: number,
    headers: Headers,
    body: Uint8Array,
    token: string | undefined,
  ): PlatformError
}

export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path below the API's address, encoded, with its query. */
  readonly path: string
  readonly token?: string
  /** The slug of the App whose installation token it is. */
  readonly appSlug?: string | undefined
  /** The repository that the call is about. */
  readonly repo?: RepositoryName
  readonly accept?: string
  /** Sent as JSON. */
  readonly body?: unknown
  /** The default is 10 MB. */
  readonly maxBytes?: number
  /** Whether a redirect may lead to a storage of files, which doesn't receive the token. */
  readonly isStored?: boolean
  /** Called when it is the turn of a write. It throws when writing must stop. */
  readonly beforeWrite?: (() => Promise<void>) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Several processes may share an account, of which hosts allow about 100 concurrent calls. */
const maxConcurrentCalls = 32
/** Leaves capacity for other people when one person's calls are slow or many. */
const maxConcurrentCallsPerToken = 12

export function createConnection(
  config: HostConfig,
  { metrics, writePacer }: { metrics: PlatformMetrics; writePacer: WritePacer },
  rules: RequestRules,
): Connection {
  return {
    webUrl: config.url.replace(/\/+$/, ''),
    apiUrl: config.apiUrl.replace(/\/+$/, ''),
    userAgent: config.userAgent,
    timeoutMs: config.timeoutMs ?? 30_000,
    semaphore: createFairSemaphore(maxConcurrentCalls, maxConcurrentCallsPerToken),
    callRecorder: createPlatformCallRecorder(metrics),
    writePacer,
    responseCache: createResponseCache(),
    rules,
  }
}

type MethodName = {
  [Name in keyof Platform]: Platform[Name] extends (...input: never[]) => unknown ? Name : never
}[keyof Platform]

/** A method of the platform, whose connection is the first parameter. */
export type HostCall<Name extends MethodName> = (
  connection: Connection,
  ...input: Parameters<Platform[Name]>
) => ReturnType<Platform[Name]>

type ConnectionCall = (connection: Connection, ...rest: never[]) => unknown

type Bound<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (
    connection: Connection,
    ...rest: infer Rest
  ) => infer Result
    ? (...rest: Rest) => Result
    : never
}

/** Returns the calls without their first parameter, which is this connection. */
export function bindCalls<Calls extends Readonly<Record<string, ConnectionCall>>>(
  connection: Connection,
  calls: Calls,
): Bound<Calls> {
  const bound = Object.entries(calls).map(([name, call]) => [name, call.bind(null, connection)])
  return Object.fromEntries(bound) as Bound<Calls>
}
