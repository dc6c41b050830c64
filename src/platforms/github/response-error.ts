// Classifies error responses and builds messages from them that are safe to show to anyone.
import { z } from 'zod'
import { PlatformError, type PlatformErrorCode } from '../../domain/errors.ts'

/** GitHub's error body. `errors` holds messages, or objects with a message or a code. */
const errorBody = z.object({
  message: z.string().catch(''),
  errors: z
    .array(
      z.union([
        z.string(),
        z
          .object({
            message: z.string().catch(''),
            field: z.string().catch(''),
            code: z.string().catch(''),
          })
          .catch({ message: '', field: '', code: '' }),
      ]),
    )
    .catch([]),
})
type ErrorBody = z.output<typeof errorBody>

const maxWaitMs = 2 * 60 * 60 * 1000
/** The wait that GitHub's documentation recommends when a secondary limit names no time. */
const secondaryLimitWaitMs = 60_000

/**
 * Builds the error for a response with a status of 300 or more.
 * Limits: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
export function toPlatformError(
  status: number,
  headers: Headers,
  body: Uint8Array,
  token: string | undefined,
): PlatformError {
  const details = parseErrorBody(body)
  const message =
    sanitizeMessage(describeErrorBody(details), token) ||
    `The platform answered with status ${status}.`
  const code = classifyError(status, headers, details)
  return new PlatformError(code, message, { status, retryAfterMs: readRetryAfterMs(code, headers) })
}

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

function classifyError(status: number, headers: Headers, details: ErrorBody): PlatformErrorCode {
  if (isRateLimit(status, headers, details)) return 'platform_rate_limited'
  if (status === 406 || hasCode(details, 'too_large')) return 'platform_too_large'
  if (hasCode(details, 'not_available')) return classifyMissingDiff(details)
  return codesByStatus.get(status) ?? classifyOtherStatus(status)
}

/** A diff that takes too long to build will not be available later; otherwise GitHub is busy. */
function classifyMissingDiff(details: ErrorBody): PlatformErrorCode {
  return /too long/i.test(describeErrorBody(details))
    ? 'platform_too_large'
    : 'platform_unavailable'
}

const codesByStatus: ReadonlyMap<number, PlatformErrorCode> = new Map([
  [401, 'platform_unauthorized'],
  [403, 'platform_forbidden'],
  [451, 'platform_forbidden'],
  [404, 'platform_not_found'],
  [410, 'platform_not_found'],
  [408, 'platform_unavailable'],
])

function classifyOtherStatus(status: number): PlatformErrorCode {
  if (status >= 500) return 'platform_unavailable'
  return status < 400 ? 'platform_invalid_response' : 'platform_refused'
}

/**
 * A header reports the primary limit; `retry-after` or only the body reports a secondary one. The
 * secondary limit for comments may have the status 422 of an invalid review.
 */
function isRateLimit(status: number, headers: Headers, details: ErrorBody): boolean {
  if (status === 429) return true
  if (status !== 403 && status !== 422) return false
  const inHeaders = headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0'
  return (
    (status === 403 && inHeaders) ||
    hasCode(details, 'abuse') ||
    limitMessage.test(describeErrorBody(details))
  )
}

const limitMessage = new RegExp(
  [
    'rate limit',
    'abuse detection',
    'submitted too quickly',
    'review comments is invalid and review threads is invalid',
  ].join('|'),
  'i',
)

function hasCode(details: ErrorBody, code: string): boolean {
  return details.errors.some((error) => typeof error === 'object' && error.code === code)
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

function parseErrorBody(body: Uint8Array): ErrorBody {
  try {
    return errorBody.parse(JSON.parse(Buffer.from(body).toString('utf8')))
  } catch {
    return { message: '', errors: [] }
  }
}

function describeErrorBody(details: ErrorBody): string {
  const reasons = details.errors.map((error) => {
    if (typeof error === 'string') return error
    return error.message || `${error.field} ${error.code}`.trim()
  })
  return [details.message, ...reasons].filter((part) => part !== '').join(': ')
}
