// What the API says of itself and of a token: for the check of a set-up.
import { PlatformError } from '../../domain/errors.ts'
import type { Inspection } from '../platform.ts'
import { type ApiResponse, type Connection, parseResponse, send } from './request.ts'
import { viewerSchema } from './viewer.ts'

/** Either is enough to review; the second for public repositories only. */
const reviewScopes = ['repo', 'public_repo']

/** GET /user with a token, else GET /rate_limit, which counts towards no limit. */
export async function inspect(
  connection: Connection,
  token: string | null,
  signal?: AbortSignal,
): Promise<Inspection> {
  if (token === null) {
    const answer = await send(connection, { path: '/rate_limit', signal }).catch(ignoreRefusal)
    return { now: readClock(answer), viewer: null, scopes: null, missingScopes: [] }
  }
  const answer = await send(connection, { path: '/user', token, signal })
  const scopes = readScopes(answer)
  const suffices = scopes === null || scopes.some((scope) => reviewScopes.includes(scope))
  return {
    now: readClock(answer),
    viewer: parseResponse(answer, viewerSchema),
    scopes,
    missingScopes: suffices ? [] : ['repo'],
  }
}

/** An Enterprise server may show nothing to strangers, and may count no calls: it is there all the same. */
function ignoreRefusal(error: unknown): null {
  const { code, message } = error as PlatformError
  const isThere =
    code === 'platform_unauthorized' ||
    code === 'platform_forbidden' ||
    (code === 'platform_not_found' && /rate limiting/i.test(message))
  if (error instanceof PlatformError && isThere) return null
  throw error
}

function readClock(answer: ApiResponse | null): Date | null {
  const time = Date.parse(answer?.headers.get('date') ?? '')
  return Number.isNaN(time) ? null : new Date(time)
}

/** Tokens of applications and fine-grained ones have permissions instead, which no header shows. */
function readScopes(answer: ApiResponse): string[] | null {
  const header = answer.headers.get('x-oauth-scopes')
  return header === null ? null : header.split(/[\s,]+/).filter((scope) => scope !== '')
}
