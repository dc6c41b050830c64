// Tells the platform's refusals apart, and makes messages of them that can be shown to anyone.
import { z } from 'zod'
import { PlatformError, type PlatformErrorCode } from '../../domain/errors.ts'

/** GitHub's error body; `errors` holds sentences, or objects with a sentence or a code. */
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
/** What GitHub's documentation asks for where a secondary limit names no time. */
const secondaryLimitWaitMs = 60_000

/**
 * Makes the error of an answer with a status of 300 or more.
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
 * Takes out of a platform's message what must not be shown: addresses and tokens, and control characters. Cut to
 * 300 characters.
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
  // A diff that wasn't made: it takes too long, whoever asks again, or the platform is busy just now.
  if (hasCode(details, 'not_available'))
    return /too long/i.test(describeErrorBody(details))
      ? 'platform_too_large'
      : 'platform_unavailable'
  if (status === 401) return 'platform_unauthorized'
  if (status === 403 || status === 451) return 'platform_forbidden'
  if (status === 404 || status === 410) return 'platform_not_found'
  if (status >= 500 || status === 408) return 'platform_unavailable'
  return status < 400 ? 'platform_invalid_response' : 'platform_refused'
}

/**
 * The primary limit shows in a header; the secondary in `retry-after` or only in the body. Where it is one for writing
 * comments, the status may be the 422 of an invalid review.
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

const limitMessage =
  /rate limit|abuse detection|submitted too quickly|review comments is invalid and review threads is invalid/i

function hasCode(details: ErrorBody, code: string): boolean {
  return details.errors.some((error) => typeof error === 'object' && error.code === code)
}

/** Milliseconds to wait, by the platform's clock where it shows it; undefined where nothing was said. */
export function readRetryAfterMs(code: PlatformErrorCode, headers: Headers): number | undefined {
  if (code !== 'platform_rate_limited' && code !== 'platform_unavailable') return undefined
  const now = Date.parse(headers.get('date') ?? '') || Date.now()
  const retryAfter = headers.get('retry-after')
  if (retryAfter !== null) {
    const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now
    if (!Number.isNaN(wait)) return clampWait(wait)
  }
  if (code === 'platform_unavailable') return undefined
  const reset =
    headers.get('x-ratelimit-remaining') === '0' ? Number(headers.get('x-ratelimit-reset')) : 0
  return reset > 0 ? clampWait(reset * 1000 - now) : secondaryLimitWaitMs
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
  const reasons = details.errors.map((error) =>
    typeof error === 'string' ? error : error.message || `${error.field} ${error.code}`.trim(),
  )
  return [details.message, ...reasons].filter((part) => part !== '').join(': ')
}
