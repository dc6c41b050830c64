// Describes how GitLab wants its requests, and what its answers mean.
// https://docs.gitlab.com/api/rest/
import { PlatformError } from '../../domain/errors.ts'
import type { ApiCall, RequestRules } from '../http/connection.ts'
import { classifyStatus, readRetryAfterMs, sanitizeMessage } from '../http/response-error.ts'
import type { RateLimit } from '../record-platform-calls.ts'

export const gitlabRules: RequestRules = {
  headers: { accept: 'application/json' },
  // Access tokens of people, projects and groups are accepted in this header too.
  authorize: (token) => ({ authorization: `Bearer ${token}` }),
  pageSizeParameter: 'per_page',
  classifyWrite,
  readRateLimit,
  toError,
}

/** These notify the people who follow the merge request. */
const notifying = /\/merge_requests\/\d+\/(notes|discussions(\/\w+\/notes)?|approve)$/

function classifyWrite({ method = 'GET', path }: ApiCall): 'notifying' | 'silent' | null {
  if (method === 'GET' || !/^\/projects\/[^/]+\/(?!hooks\b)/.test(path)) return null
  return method === 'POST' && notifying.test(path) ? 'notifying' : 'silent'
}

/** Undefined for servers without limits. The time of the reset is relative to GitLab's clock. */
function readRateLimit(headers: Headers): RateLimit | undefined {
  const [remaining, reset] = ['ratelimit-remaining', 'ratelimit-reset'].map((name) =>
    /^\d{1,12}$/.test(headers.get(name) ?? '') ? Number(headers.get(name)) : undefined,
  )
  if (remaining === undefined || reset === undefined) return undefined
  const now = Date.parse(headers.get('date') ?? '') || Date.now()
  return { resource: 'core', remaining, resetsInMs: reset * 1000 - now }
}

/** Whether GitLab answered, and won't answer the same call in another way later. */
export function isFinal(error: unknown): boolean {
  const passing = ['platform_rate_limited', 'platform_unavailable', 'platform_unauthorized']
  return error instanceof PlatformError && !passing.includes(error.code)
}

function toError(
  status: number,
  headers: Headers,
  body: Uint8Array,
  token: string | undefined,
): PlatformError {
  const described = sanitizeMessage(describeErrorBody(body), token)
  const message = hideTokens(described) || `The platform answered with status ${status}.`
  const code = status === 429 ? 'platform_rate_limited' : classifyStatus(status)
  const retryAfterMs = readRetryAfterMs(code, headers)
  return new PlatformError(code, message, { status, retryAfterMs })
}

/** Tokens of GitLab have prefixes such as `glpat-`, of OAuth applications `gloas-`. */
function hideTokens(message: string): string {
  return message.replace(/\bgl[a-z]{2,8}-[\w.-]{10,}/g, '…')
}

const maxDepth = 3
const maxTexts = 20

/** `message` is a text, a list of texts, or an object with a list for each wrong attribute. */
function describeErrorBody(body: Uint8Array): string {
  try {
    const fields = JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown> | null
    const parts = [fields?.message, fields?.error, fields?.error_description]
    return parts.flatMap((part) => listTexts(part, maxDepth)).join(': ')
  } catch {
    return ''
  }
}

function listTexts(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (typeof value !== 'object' || value === null || depth === 0) return []
  const prefixOf = (name: string) => (Array.isArray(value) ? '' : `${name} `)
  const texts = Object.entries(value)
    .slice(0, maxTexts)
    .flatMap(([name, one]) => listTexts(one, depth - 1).map((text) => prefixOf(name) + text))
  return texts.length === 0 ? [] : [texts.join(', ')]
}
