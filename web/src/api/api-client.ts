// Asks the service: with the session's cookie, and with a short-lived bearer token that is kept in memory alone.
import type { shortLivedTokenSchema } from '../../../src/contract/account-schemas.ts'
import { ApiError } from './api-error.ts'
import type { ResponseBody } from './response-body.ts'

export type QueryParameters = Readonly<Record<string, string | number | undefined>>

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Empty and missing values aren't sent. */
  readonly query?: QueryParameters
  /** Sent as JSON. */
  readonly body?: unknown
  /** For what is asked before somebody is signed in: without a bearer token. */
  readonly anonymous?: boolean
  readonly signal?: AbortSignal
}

export interface ApiClient {
  /** Where the service stands, as seen from here: `` or `/some/path`. */
  readonly basePath: string
  /** Asks for a path such as `/api/v1/reviews`. Resolves to the answer's JSON; rejects with `ApiError`. */
  request<T>(path: string, request?: ApiRequest): Promise<T>
  /** Forgets the bearer token: after signing in or out. */
  clearToken(): void
}

/** A token is renewed when it lasts no longer than this. */
const tokenRenewalMarginMs = 30_000

/** Makes the client of the service that serves this page. */
export function createApiClient(basePath: string): ApiClient {
  let token: { readonly value: string; readonly until: number } | null = null
  let asking: Promise<string> | null = null

  async function renew(): Promise<string> {
    const answer = await send<ResponseBody<typeof shortLivedTokenSchema>>(
      basePath,
      '/api/v1/auth/token',
      {
        method: 'POST',
      },
    )
    token = { value: answer.access_token, until: Date.parse(answer.expires_at) }
    return token.value
  }

  function readToken(): Promise<string> {
    if (token !== null && token.until - tokenRenewalMarginMs > Date.now())
      return Promise.resolve(token.value)
    // Those who ask at the same time share one.
    asking ??= renew().finally(() => {
      asking = null
    })
    return asking
  }

  return {
    basePath,
    async request<T>(path: string, request: ApiRequest = {}) {
      if (request.anonymous) return send<T>(basePath, path, request)
      try {
        return await send<T>(basePath, path, request, await readToken())
      } catch (error) {
        // The token may have been revoked, or the clocks differ: the session itself decides.
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
    throw new ApiError(
      0,
      'The service can’t be reached. It is tried again when you are back online.',
    )
  })
  const answer: unknown = await response.json().catch(() => null)
  if (response.ok) return answer as T
  const detail = (answer as { detail?: unknown } | null)?.detail
  throw new ApiError(
    response.status,
    typeof detail === 'string' ? detail : `The service answered ${response.status}.`,
  )
}

function formatQuery(query: QueryParameters = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}
