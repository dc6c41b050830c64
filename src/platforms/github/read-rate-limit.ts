// Reads what an answer says about the rate limit of its token.
import type { RateLimit } from '../record-platform-calls.ts'

/** Undefined where the answer says nothing, as Enterprise servers without limits do. */
export function readRateLimit(headers: Headers): RateLimit | undefined {
  const remaining = readCount(headers.get('x-ratelimit-remaining'))
  const reset = readCount(headers.get('x-ratelimit-reset'))
  if (remaining === undefined || reset === undefined) return undefined
  // By the platform's own clock.
  const now = Date.parse(headers.get('date') ?? '') || Date.now()
  const name = headers.get('x-ratelimit-resource')
  const resource = name === 'core' || name === 'graphql' ? name : 'other'
  return { resource, remaining, resetsInMs: reset * 1000 - now }
}

function readCount(value: string | null): number | undefined {
  return value !== null && /^\d{1,12}$/.test(value) ? Number(value) : undefined
}
