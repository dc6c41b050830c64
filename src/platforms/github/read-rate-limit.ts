// Reads the rate limit of a token from response headers.
import type { RateLimit } from '../record-platform-calls.ts'

/** Undefined for responses without rate limit headers, as from Enterprise Server without limits. */
export function readRateLimit(headers: Headers): RateLimit | undefined {
  const remaining = readCount(headers.get('x-ratelimit-remaining'))
  const reset = readCount(headers.get('x-ratelimit-reset'))
  if (remaining === undefined || reset === undefined) return undefined
  // The reset time is relative to the platform's clock.
  const now = Date.parse(headers.get('date') ?? '') || Date.now()
  const name = headers.get('x-ratelimit-resource')
  const resource = name === 'core' || name === 'graphql' ? name : 'other'
  return { resource, remaining, resetsInMs: reset * 1000 - now }
}

function readCount(value: string | null): number | undefined {
  return value !== null && /^\d{1,12}$/.test(value) ? Number(value) : undefined
}
