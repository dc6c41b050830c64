// Classifies error responses and builds messages from them that are safe to show to anyone.
import { z } from 'zod'
import { PlatformError, type PlatformErrorCode } from '../../domain/errors.ts'
import { classifyStatus, readRetryAfterMs, sanitizeMessage } from '../http/response-error.ts'

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

function classifyError(status: number, headers: Headers, details: ErrorBody): PlatformErrorCode {
  if (isRateLimit(status, headers, details)) return 'platform_rate_limited'
  if (status === 406 || hasCode(details, 'too_large')) return 'platform_too_large'
  if (hasCode(details, 'not_available')) return classifyMissingDiff(details)
  return classifyStatus(status)
}

/** A diff that takes too long to build will not be available later; otherwise GitHub is busy. */
function classifyMissingDiff(details: ErrorBody): PlatformErrorCode {
  return /too long/i.test(describeErrorBody(details))
    ? 'platform_too_large'
    : 'platform_unavailable'
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
