// Sends one request to the REST API: deadline, redirects within the host, bounded answers, failures told apart.
import { createHash } from 'node:crypto'
import { setTimeout as startTimer } from 'node:timers'
import { setTimeout as wait } from 'node:timers/promises'
import type { z } from 'zod'
import { PlatformError, UmpireError } from '../../domain/errors.ts'
import type { FairSemaphore } from '../../lib/semaphore.ts'
import type { PlatformCallRecorder } from '../record-platform-calls.ts'
import { readRateLimit } from './read-rate-limit.ts'
import { toPlatformError } from './response-error.ts'

/** Where the platform is and how we speak to it. Addresses have no slash at the end. */
export interface Connection {
  readonly webUrl: string
  readonly apiUrl: string
  readonly graphqlUrl: string
  readonly userAgent: string
  /** For one call, redirects and answer included. */
  readonly timeoutMs: number
  /** As many calls as may be under way at once; the parties are tokens, and owners where one token stands for many. */
  readonly semaphore: FairSemaphore
  readonly callRecorder: PlatformCallRecorder
}

export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below the address of the API: encoded, with its query. */
  readonly path: string
  readonly token?: string
  /** Of the repository that it is about. */
  readonly owner?: string
  readonly accept?: string
  /** Sent as JSON. */
  readonly body?: unknown
  /** Longest answer that is read; 10 MB where it isn't given. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal | undefined
}

export interface ApiResponse {
  /** Below 300: everything else is thrown. */
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
}

const defaultMaxBytes = 10 * 2 ** 20
const redirectStatuses = new Set([301, 302, 307, 308])

/**
 * Sends a call and reads its answer whole. Where too many are under way it waits in line first, which doesn't count
 * towards its deadline. A renamed repository is followed for reads and, once, for writes, but
 * never to another host, which would get the token.
 *
 * @throws PlatformError for every answer that isn't 2xx, for silence, and for an answer that is too long
 * @throws the reason of `call.signal` when that was what ended it
 */
export async function send(connection: Connection, call: ApiCall): Promise<ApiResponse> {
  const party = hashToken(call.token)
  const release = await connection.semaphore.acquire(`${party} ${call.owner ?? ''}`, call.signal)
  try {
    return await connection.callRecorder.record(() => sendOnce(connection, call, party))
  } finally {
    release()
  }
}

async function sendOnce(
  connection: Connection,
  call: ApiCall,
  party: string,
): Promise<ApiResponse> {
  const deadline = new AbortController()
  const timer = startTimer(() => deadline.abort(), connection.timeoutMs)
  const signal =
    call.signal === undefined ? deadline.signal : AbortSignal.any([call.signal, deadline.signal])
  try {
    const response = await fetchFollowingRedirects(connection, call, signal)
    connection.callRecorder.recordRateLimit(party, readRateLimit(response.headers))
    const body = await readBody(response, call.maxBytes ?? defaultMaxBytes)
    if (response.status >= 300)
      throw toPlatformError(response.status, response.headers, body, call.token)
    return { status: response.status, headers: response.headers, body }
  } catch (error) {
    call.signal?.throwIfAborted()
    if (error instanceof UmpireError) throw error
    throw toConnectionError(error, deadline.signal.aborted)
  } finally {
    clearTimeout(timer)
  }
}

/** Calls without a token are one party. */
function hashToken(token: string | undefined): string {
  return token === undefined ? 'nobody' : createHash('sha256').update(token).digest('base64')
}

/** Sends a call and checks that its answer has the promised shape. */
export async function sendForJson<T>(
  connection: Connection,
  call: ApiCall,
  schema: z.ZodType<T>,
): Promise<T> {
  return parseResponse(await send(connection, call), schema)
}

/** @throws PlatformError `platform_invalid_response` for HTML, cut JSON, or another shape than promised */
export function parseResponse<T>(answer: ApiResponse, schema: z.ZodType<T>): T {
  let value: unknown
  try {
    value = JSON.parse(answer.body.toString('utf8'))
  } catch {
    const isPage = answer.headers.get('content-type')?.includes('html')
    throw invalidResponse(
      isPage ? 'The platform answered with a page instead of data.' : 'The answer is not JSON.',
    )
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw invalidResponse(`The answer has an unexpected form at "${issue?.path.join('.')}".`)
}

export function invalidResponse(message: string): PlatformError {
  return new PlatformError('platform_invalid_response', message)
}

/** Waits; ends early with the signal's own reason. */
export async function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}

async function fetchFollowingRedirects(
  connection: Connection,
  call: ApiCall,
  signal: AbortSignal,
): Promise<Response> {
  const method = call.method ?? 'GET'
  const mostHops = method === 'GET' ? 3 : 1
  const init: RequestInit = {
    method,
    headers: makeHeaders(connection, call),
    body: call.body === undefined ? null : JSON.stringify(call.body),
    redirect: 'manual',
    signal,
  }
  let url = new URL(connection.apiUrl + call.path)
  for (let hop = 0; ; hop++) {
    const response = await fetch(url.href, init)
    const location = redirectStatuses.has(response.status) ? response.headers.get('location') : null
    if (location === null) return response
    await response.body?.cancel()
    const target = URL.parse(location, url.href)
    if (target?.origin !== url.origin)
      throw invalidResponse('The platform redirected to another host.')
    if (hop === mostHops) throw invalidResponse('The platform redirected too often.')
    url = target
  }
}

function makeHeaders(connection: Connection, call: ApiCall): Record<string, string> {
  const headers: Record<string, string> = {
    accept: call.accept ?? 'application/vnd.github+json',
    'user-agent': connection.userAgent,
    'x-github-api-version': '2022-11-28',
  }
  if (call.body !== undefined) headers['content-type'] = 'application/json'
  if (call.token !== undefined) {
    // A header's own error message would show the token.
    if (!/^[\x21-\x7e]+$/.test(call.token)) {
      throw new PlatformError(
        'platform_unauthorized',
        'The token has characters that no token has.',
      )
    }
    headers.authorization = `Bearer ${call.token}`
  }
  return headers
}

async function readBody(response: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    if (length > maxBytes) {
      throw new PlatformError(
        'platform_too_large',
        `The answer is longer than ${Math.round(maxBytes / 2 ** 20)} MB.`,
      )
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

/** Of the cause only its code is told: its text may name addresses. */
function toConnectionError(error: unknown, timedOut: boolean): PlatformError {
  if (timedOut)
    return new PlatformError('platform_unavailable', 'The platform did not answer in time.')
  const code = (error as { cause?: { code?: unknown } }).cause?.code
  const reason = typeof code === 'string' ? ` (${code})` : ''
  return new PlatformError(
    'platform_unavailable',
    `The connection to the platform failed${reason}.`,
  )
}
