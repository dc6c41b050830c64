// Client of the Umpire API. Its short-lived bearer token is only in memory.
import type { shortLivedTokenSchema } from '../../../src/contract/account-schemas.ts'
import { ApiError } from './api-error.ts'
import type { ResponseBody } from './response-body.ts'

export type QueryParameters = Readonly<Record<string, string | number | undefined>>

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Empty and missing values are not sent. */
  readonly query?: QueryParameters
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sends no bearer token, for requests before sign-in. */
  readonly anonymous?: boolean
  readonly signal?: AbortSignal
}

export interface ApiClient {
  /** Path of the service: empty or `/some/path`. */
  readonly basePath: string
  /** Requests a path such as `/api/v1/reviews`. Resolves to JSON; rejects with `ApiError`. */
  request<T>(path: string, request?: ApiRequest): Promise<T>
  /** Discards the bearer token. Call it after sign-in and sign-out. */
  clearToken(): void
}

/** A token is renewed this long before it expires. */
const tokenRenewalMarginMs = 30_000

/** Creates a client for the service at a base path. */
export function createApiClient(basePath: string): ApiClient {
  let token: { readonly value: string; readonly expiresAt: number } | null = null
  let pendingToken: Promise<string> | null = null

  async function renew(): Promise<string> {
    const response = await send<ResponseBody<typeof shortLivedTokenSchema>>(
      basePath,
      '/api/v1/auth/token',
      {
        method: 'POST',
      },
    )
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
    async request<T>(path: string, request: ApiRequest = {}) {
      if (request.anonymous) return send<T>(basePath, path, request)
      try {
        return await send<T>(basePath, path, request, await readToken())
      } catch (error) {
        // The token may be revoked or the clocks may differ, so a new one is requested once.
        if (!(error instanceof ApiError && error.status === 401) || token === null) throw error
        token = null
        return send<T>(basePath, path, request, await readToken())
      }
    },
    clearToken() {
      token = null
    },
  }
}

async function send<T>(
  basePath: string,
  path: string,
  request: ApiRequest,
  bearer?: string,
): Promise<T> {
  const headers = new Headers({ accept: 'application/json' })
  if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`)
  if (request.body !== undefined) headers.set('content-type', 'application/json')
  const response = await fetch(basePath + path + formatQuery(request.query), {
    method: request.method ?? 'GET',
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

function formatQuery(query: QueryParameters = {}): string {
  const parameters = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== '',
  )
  if (parameters.length === 0) return ''
  return `?${new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]))}`
}
