// Builds messages from error responses that are safe to show to anyone, and reads when to repeat a
// call.
import type { PlatformErrorCode } from '../../domain/errors.ts'

const maxWaitMs = 2 * 60 * 60 * 1000
/** The wait that GitHub's documentation recommends when a secondary limit names no time. */
const secondaryLimitWaitMs = 60_000

/**
 * Removes tokens, addresses and control characters from a platform's message, and cuts it to 300
 * characters.
 */
export function sanitizeMessage(message: string, token: string | undefined): string {
  const withoutToken =
    token === undefined || token === '' ? message : message.replaceAll(token, '…')
  return withoutToken
    .replace(/\b(?:gh[a-z]_|github_pat_)\w+/g, '…')
    .replace(/\(?\bhttps?:\/\/\S*[^\s:.,]/gi, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, 300)
    .toWellFormed()
}

const codesByStatus: ReadonlyMap<number, PlatformErrorCode> = new Map([
  [401, 'platform_unauthorized'],
  [403, 'platform_forbidden'],
  [451, 'platform_forbidden'],
  [404, 'platform_not_found'],
  [410, 'platform_not_found'],
  [408, 'platform_unavailable'],
])

/** What a status of 300 or more means where the response has nothing more specific. */
export function classifyStatus(status: number): PlatformErrorCode {
  const code = codesByStatus.get(status)
  if (code !== undefined) return code
  if (status >= 500) return 'platform_unavailable'
  return status < 400 ? 'platform_invalid_response' : 'platform_refused'
}

/** Milliseconds to wait by the platform's clock; undefined when no header or limit defines it. */
export function readRetryAfterMs(code: PlatformErrorCode, headers: Headers): number | undefined {
  if (code !== 'platform_rate_limited' && code !== 'platform_unavailable') return undefined
  const now = Date.parse(headers.get('date') ?? '') || Date.now()
  const requestedWait = readRetryAfterHeader(headers.get('retry-after'), now)
  if (requestedWait !== undefined) return clampWait(requestedWait)
  if (code === 'platform_unavailable') return undefined
  const isUsedUp = headers.get('x-ratelimit-remaining') === '0'
  const resetSeconds = isUsedUp ? Number(headers.get('x-ratelimit-reset')) : 0
  return resetSeconds > 0 ? clampWait(resetSeconds * 1000 - now) : secondaryLimitWaitMs
}

/** Reads seconds or an HTTP date (RFC 9110). Returns milliseconds. */
function readRetryAfterHeader(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(wait) ? undefined : wait
}

function clampWait(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, 1000), maxWaitMs)
}
