// Inspects the API and a token, for the check of an installation's setup.
import { PlatformError } from '../../domain/errors.ts'
import type { HostCall } from '../http/connection.ts'
import { type ApiResponse, parseResponse, readClock, send } from '../http/request.ts'
import { viewerSchema } from './viewer.ts'

/** Each of them is enough to review; `public_repo` only for public repositories. */
const reviewScopes = ['repo', 'public_repo']

/** GET /user with a token, else GET /rate_limit, which doesn't count towards the rate limit. */
export const inspect: HostCall<'inspect'> = async (connection, token, signal) => {
  if (token === null) {
    const answer = await send(connection, { path: '/rate_limit', signal }).catch(ignoreRefusal)
    return { now: readClock(answer), viewer: null, scopes: null, missingScopes: [] }
  }
  const answer = await send(connection, { path: '/user', token, signal })
  const scopes = readScopes(answer)
  const isSufficient = scopes === null || scopes.some((scope) => reviewScopes.includes(scope))
  return {
    now: readClock(answer),
    viewer: parseResponse(answer, viewerSchema),
    scopes,
    missingScopes: isSufficient ? [] : ['repo'],
  }
}

/** An Enterprise Server that refuses anonymous calls, or has rate limits disabled, is reachable. */
function ignoreRefusal(error: unknown): null {
  const { code, message } = error as PlatformError
  const isReachable =
    code === 'platform_unauthorized' ||
    code === 'platform_forbidden' ||
    (code === 'platform_not_found' && /rate limiting/i.test(message))
  if (error instanceof PlatformError && isReachable) return null
  throw error
}

/** Null for fine-grained and application tokens: they have permissions, which no header shows. */
function readScopes(answer: ApiResponse): string[] | null {
  const header = answer.headers.get('x-oauth-scopes')
  return header === null ? null : header.split(/[\s,]+/).filter((scope) => scope !== '')
}
