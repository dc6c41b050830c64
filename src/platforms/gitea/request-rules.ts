// Describes how Gitea and Forgejo want their requests, and what their answers mean.
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type { ApiCall, RequestRules } from '../http/connection.ts'
import { classifyStatus, readRetryAfterMs, sanitizeMessage } from '../http/response-error.ts'

/** Servers return no more items a page, unless they are configured to. */
export const maxPageSize = 50

export const giteaRules: RequestRules = {
  headers: { accept: 'application/json' },
  authorize: (token) => ({ authorization: `Bearer ${token}` }),
  pageSizeParameter: 'limit',
  classifyWrite,
  // Neither has limits of its own; proxies in front of them answer 429.
  readRateLimit: () => undefined,
  toError,
}

/** These notify the people who follow the pull request. */
const notifying = /^\/repos\/[^/]+\/[^/]+\/(issues\/\d+\/comments|pulls\/\d+\/reviews(\/.*)?)$/

function classifyWrite({ method = 'GET', path }: ApiCall): 'notifying' | 'silent' | null {
  if (method === 'GET' || !/^\/repos\/[^/]+\/[^/]+\/(?!hooks\b)/.test(path)) return null
  return method === 'POST' && notifying.test(path) ? 'notifying' : 'silent'
}

const text = z.string().catch('')
const errorBody = z.object({ message: text, errors: z.array(text).nullish().catch([]) })

function toError(
  status: number,
  headers: Headers,
  body: Uint8Array,
  token: string | undefined,
): PlatformError {
  const message = sanitizeMessage(describe(body), token)
  const code = status === 429 ? 'platform_rate_limited' : classifyStatus(status)
  return new PlatformError(code, message || `The platform answered with status ${status}.`, {
    status,
    retryAfterMs: readRetryAfterMs(code, headers),
  })
}

/** The message may be the name of a function of the server; then `errors` says what happened. */
function describe(body: Uint8Array): string {
  try {
    const { message, errors } = errorBody.parse(JSON.parse(Buffer.from(body).toString('utf8')))
    return [message, ...(errors ?? [])].filter((part) => part !== '').join(': ')
  } catch {
    return ''
  }
}
