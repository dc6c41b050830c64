// Client of the Umpire API. Its short-lived bearer token is only in memory.
import { addresses, formatPath } from '../../../src/contract/addresses.ts'
import { ApiError } from './api-error.ts'
import type { EndpointName, RequestOf, ResponseOf } from './endpoints.ts'

interface CallOptions {
  /** Sends no bearer token, for requests before sign-in. */
  readonly anonymous?: boolean
  readonly signal?: AbortSignal
}

export interface ApiClient {
  /** Path of the service: empty or `/some/path`. */
  readonly basePath: string
  /** The path of an endpoint on this origin, for links and event streams. */
  pathOf(name: EndpointName): string
  /**
   * Calls an endpoint. Empty and missing values of a query are not sent. Resolves to the response;
   * rejects with `ApiError`.
   */
  call<Name extends EndpointName>(
    name: Name,
    request: RequestOf<Name>,
    options?: CallOptions,
  ): Promise<ResponseOf<Name>>
  /** Discards the bearer token. Call it after sign-in and sign-out. */
  clearToken(): void
}

/** A token is renewed this long before it expires. */
const tokenRenewalMarginMs = 30_000

/** Creates a client for the service at a base path. */
export function createApiClient(basePath: string): ApiClient {
  let token: { readonly value: string; readonly expiresAt: number } | null = null
  let pendingToken: Promise<string> | null = null

  function send<Name extends EndpointName>(
    name: Name,
    request: RequestOf<Name>,
    { signal, bearer }: { signal?: AbortSignal | undefined; bearer?: string } = {},
  ): Promise<ResponseOf<Name>> {
    const { params, query, body } = request as RequestParts
    const { method, path } = addresses[name]
    const url = basePath + formatPath(path, params) + formatQuery(query)
    return fetchJson<ResponseOf<Name>>(url, { method, body, signal, bearer })
  }

  async function renew(): Promise<string> {
    const response = await send('shortLivedToken', {})
    token = { value: response.access_token, expiresAt: Date.parse(response.expires_at) }
    return token.value
  }

  function readToken(): Promise<string> {
    if (token !== null && token.expiresAt - tokenRenewalMarginMs > Date.now())
      return Promise.resolve(token.value)
    // Concurrent requests share one renewal.
    pendingToken ??= renew().finally(() => {
      pendingToken = null
    })
    return pendingToken
  }

  return {
    basePath,
    pathOf: (name) => basePath + addresses[name].path,
    async call(name, request, { anonymous, signal } = {}) {
      if (anonymous) return send(name, request, { signal })
      try {
        return await send(name, request, { signal, bearer: await readToken() })
      } catch (error) {
        // The token may be revoked or the clocks may differ, so a new one is requested once.
        if (!(error instanceof ApiError && error.status === 401) || token === null) throw error
        token = null
        return send(name, request, { signal, bearer: await readToken() })
      }
    },
    clearToken() {
      token = null
    },
  }
}

interface RequestParts {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
}

async function fetchJson<T>(
  url: string,
  request: { method: string; body: unknown; signal?: AbortSignal; bearer?: string },
): Promise<T> {
  const headers = new Headers({ accept: 'application/json' })
  if (request.bearer !== undefined) headers.set('authorization', `Bearer ${request.bearer}`)
  if (request.body !== undefined) headers.set('content-type', 'application/json')
  const response = await fetch(url, {
    method: request.method,
    headers,
    body: request.body === undefined ? undefined : JSON.stringify(request.body),
    signal: request.signal,
  }).catch((error: unknown) => {
    if (request.signal?.aborted) throw error
    throw new ApiError(0, 'The service can’t be reached. Check your connection and try again.')
  })
  const body: unknown = await response.json().catch(() => null)
  if (response.ok) return body as T
  const detail = (body as { detail?: unknown } | null)?.detail
  throw new ApiError(
    response.status,
    typeof detail === 'string'
      ? detail
      : `The service responded with status ${response.status}. Try again.`,
  )
}

function formatQuery(query: RequestParts['query'] = {}): string {
  const parameters = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== '',
  )
  if (parameters.length === 0) return ''
  return `?${new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]))}`
}
