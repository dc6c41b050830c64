// Sends requests to the API of a host: a deadline, limits for redirects and responses, errors.
import { createHash } from 'node:crypto'
import { setTimeout as startTimer } from 'node:timers'
import type { z } from 'zod'
import { isNotFound, PlatformError, UmpireError } from '../../domain/errors.ts'
import { ownerOf } from '../../domain/pull-request.ts'
import { isPrivateHost } from '../../git/clone-address.ts'
import { readBytes } from '../../lib/read-bytes.ts'
import type { ApiCall, Connection } from './connection.ts'

export interface ApiResponse {
  /** Always below 300: other statuses are thrown as errors. */
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
}

const defaultMaxBytes = 10 * 2 ** 20
const redirectStatuses = new Set([301, 302, 307, 308])

/**
 * Sends a call and reads the whole response, or returns the known one if it hasn't changed. A write
 * waits for its turn first, and each call waits in a queue if too many are running; that time
 * doesn't count towards the deadline. Follows redirects of renamed repositories, for writes only
 * one. To another host, it only follows those of stored files, without the token.
 *
 * @throws PlatformError for a status other than 2xx, a timeout, and a response that is too long
 * @throws the reason of `call.signal` when the signal aborted the call
 */
export async function send(connection: Connection, call: ApiCall): Promise<ApiResponse> {
  const party = hashToken(call.token)
  const owner = call.repo === undefined ? '' : ownerOf(call.repo)
  // The tokens of an installation share its limits.
  const account =
    call.appSlug === undefined ? `token ${party}` : `app ${call.appSlug} ${owner.toLowerCase()}`
  await waitForTurn(connection, call, account)
  const release = await connection.semaphore.acquire(`${party} ${owner}`, call.signal)
  try {
    return await connection.callRecorder.record(() => sendOnce(connection, call, party))
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'platform_rate_limited')
      await connection.writePacer.recordRefusal(account, error.retryAfterMs ?? 0)
    throw error
  } finally {
    release()
  }
}

async function waitForTurn(connection: Connection, call: ApiCall, account: string): Promise<void> {
  const write = connection.rules.classifyWrite(call)
  if (write === null) return
  const repository = call.repo?.toLowerCase() ?? ''
  const notifies = write === 'notifying'
  await connection.writePacer.waitForTurn({ account, repository, notifies }, call.signal)
  await call.beforeWrite?.()
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
    const known = connection.responseCache.find(call, party)
    const response = await fetchFollowingRedirects(connection, call, { known: known?.tag, signal })
    const { callRecorder, rules } = connection
    callRecorder.recordRateLimit(party, rules.readRateLimit(response.headers))
    if (response.status === 304 && known !== undefined) {
      const headers = new Headers(known.headers)
      for (const [name, value] of response.headers) headers.set(name, value)
      return { status: 200, headers, body: Buffer.from(known.body) }
    }
    const body = await readBody(response, call.maxBytes ?? defaultMaxBytes)
    if (response.status >= 300)
      throw rules.toError(response.status, response.headers, body, call.token)
    const { headers, status } = response
    if (status === 200) connection.responseCache.add(call, party, { headers, body })
    return { status, headers, body }
  } catch (error) {
    call.signal?.throwIfAborted()
    if (error instanceof UmpireError) throw error
    throw toConnectionError(error, deadline.signal.aborted)
  } finally {
    clearTimeout(timer)
  }
}

/** All calls without a token belong to one party. */
function hashToken(token: string | undefined): string {
  return token === undefined ? 'nobody' : createHash('sha256').update(token).digest('base64')
}

/** Sends a call and validates its response. */
export async function sendForJson<T>(
  connection: Connection,
  call: ApiCall,
  schema: z.ZodType<T>,
): Promise<T> {
  return parseResponse(await send(connection, call), schema)
}

/**
 * @throws PlatformError `platform_invalid_response` for HTML, invalid JSON or an unexpected shape
 */
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

/** Returns what a call returns, or `otherwise` if what it asks for doesn't exist. */
export async function findOr<T, Otherwise>(
  otherwise: Otherwise,
  call: () => Promise<T>,
): Promise<T | Otherwise> {
  try {
    return await call()
  } catch (error) {
    if (isNotFound(error)) return otherwise
    throw error
  }
}

/** The host's clock; null where no answer shows it. */
export function readClock(answer: ApiResponse | null): Date | null {
  const time = Date.parse(answer?.headers.get('date') ?? '')
  return Number.isNaN(time) ? null : new Date(time)
}

export function invalidResponse(message: string): PlatformError {
  return new PlatformError('platform_invalid_response', message)
}

async function fetchFollowingRedirects(
  connection: Connection,
  call: ApiCall,
  { known, signal }: { known: string | undefined; signal: AbortSignal },
): Promise<Response> {
  const method = call.method ?? 'GET'
  const maxRedirects = method === 'GET' ? 3 : 1
  let init: RequestInit = {
    method,
    headers: {
      ...makeHeaders(connection, call),
      ...(known === undefined ? {} : { 'if-none-match': known }),
    },
    body: call.body === undefined ? null : JSON.stringify(call.body),
    redirect: 'manual',
    signal,
  }
  let url = new URL(connection.apiUrl + call.path)
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(url.href, init)
    const location = redirectStatuses.has(response.status) ? response.headers.get('location') : null
    if (location === null) return response
    await response.body?.cancel()
    const target = readTarget(connection, call, { from: url, location })
    if (target.origin !== url.origin) init = { ...init, headers: userAgentOf(connection) }
    if (redirects === maxRedirects) throw invalidResponse('The platform redirected too often.')
    url = target
  }
}

/** Throws PlatformError for a redirect that isn't followed. */
function readTarget(
  connection: Connection,
  { isStored = false }: ApiCall,
  { from, location }: { from: URL; location: string },
): URL {
  const target = URL.parse(location, from.href)
  const isFollowed =
    target?.origin === from.origin || (isStored && mayBeStorage(connection, target))
  if (target === null || !isFollowed)
    throw invalidResponse('The platform redirected to another host.')
  return target
}

/** A storage in a private network is only asked where the platform itself is. */
function mayBeStorage({ apiUrl }: Connection, to: URL | null): boolean {
  if (to === null) return false
  const platform = new URL(apiUrl)
  const { hostname, protocol } = to
  const isSameHost = hostname === platform.hostname
  const isSecure = protocol === 'https:' || (isSameHost && protocol === platform.protocol)
  return isSecure && (isSameHost || !isPrivateHost(hostname))
}

const userAgentOf = ({ userAgent }: Connection) => ({ 'user-agent': userAgent })

function makeHeaders(connection: Connection, call: ApiCall): Record<string, string> {
  const headers: Record<string, string> = {
    ...connection.rules.headers,
    ...userAgentOf(connection),
  }
  if (call.accept !== undefined) headers.accept = call.accept
  if (call.body !== undefined) headers['content-type'] = 'application/json'
  if (call.token !== undefined) {
    // The error of `fetch` for an invalid header would contain the token.
    if (!/^[\x21-\x7e]+$/.test(call.token)) {
      throw new PlatformError(
        'platform_unauthorized',
        'The token has characters that no token has.',
      )
    }
    Object.assign(headers, connection.rules.authorize(call.token))
  }
  return headers
}

async function readBody(response: Response, maxBytes: number): Promise<Buffer> {
  const body = await readBytes(response.body, maxBytes)
  if (body !== undefined) return body
  const megabytes = Math.round(maxBytes / 2 ** 20)
  throw new PlatformError('platform_too_large', `The answer is longer than ${megabytes} MB.`)
}

/** Reports only the code of the cause, because its message may contain addresses. */
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
