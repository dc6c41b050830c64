// Maps errors of providers and the network to ModelErrors, without keys and addresses.
import { APICallError } from 'ai'
import { ModelError, type ModelErrorCode } from '../domain/errors.ts'
import { longPattern } from '../lib/long-pattern.ts'

/** What is known about an error response, or an error event within a stream. */
interface Failure {
  readonly status: number | null
  /** The provider's message, type and code. */
  readonly text: string
  readonly message: string
  readonly retryAfterMs: number | undefined
}

interface Rule {
  readonly code: ModelErrorCode
  readonly status: readonly number[]
  readonly pattern: RegExp
  readonly message: string
}

// Patterns are matched before statuses: a status 400 can mean a prompt that is too long, a wrong
// key, or missing credit.
const rules: readonly Rule[] = [
  {
    code: 'model_context_overflow',
    status: [413],
    pattern: longPattern('i')`
      prompt is too long|context[_ ]length|context window|maximum context
      |input token count.{0,40}exceeds|request_too_large|exceeds? the (available )?context
      |too many (input )?tokens|too large to process`,
    message: 'the input is too long for the model',
  },
  {
    code: 'model_unauthorized',
    status: [402],
    pattern: /insufficient_quota|credit balance|billing_error|billing (hard )?limit/i,
    message: 'the account at the provider has no credit left',
  },
  {
    code: 'model_unauthorized',
    status: [401, 403],
    pattern: longPattern('i')`
      authentication_error|permission_(error|denied)|invalid_api_key
      |api[ _-]?key.{0,20}(not valid|invalid|expired)`,
    message: 'the provider does not accept the key',
  },
  {
    code: 'model_refused',
    status: [],
    pattern: /content_policy_violation|content_filter|content management policy/i,
    message: 'the provider refused the content',
  },
  {
    code: 'model_rate_limited',
    status: [429],
    pattern: /rate_limit_error|rate_limit_exceeded|resource_exhausted/i,
    message: 'the provider limits the rate of calls',
  },
  {
    code: 'model_unavailable',
    status: [408, 409, 425],
    pattern: /overloaded|server_error|internal error|temporarily unavailable/i,
    message: 'the provider is overloaded or failing',
  },
  {
    code: 'model_misconfigured',
    status: [404],
    pattern: /model_not_found|not_found_error/i,
    message: 'the provider does not know the model or the address is wrong',
  },
]

/**
 * Maps anything thrown by a provider to a ModelError. It has no cause, because that would contain
 * the whole request.
 *
 * @param secrets values that must not be in the message
 */
export function toModelError(error: unknown, secrets: readonly string[]): ModelError {
  const own = findModelError(error)
  if (own !== undefined) return own
  const failure = readFailure(error)
  const rule =
    rules.find((candidate) => candidate.pattern.test(failure.text)) ??
    rules.find((candidate) => failure.status !== null && candidate.status.includes(failure.status))
  const detail = sanitizeMessage(failure.message, secrets)
  const status = failure.status === null ? '' : ` (HTTP ${failure.status})`
  const ending = detail === '' ? '.' : `: ${detail}`
  const make = (code: ModelErrorCode, message: string) =>
    new ModelError(code, `Model: ${message}${status}${ending}`, {
      retryAfterMs: failure.retryAfterMs,
    })
  if (rule !== undefined) return make(rule.code, rule.message)
  if (failure.status !== null && failure.status >= 400 && failure.status < 500)
    return make('model_misconfigured', 'the provider refused the request')
  return make('model_unavailable', 'the provider could not be reached or broke off')
}

/** Whether this is a 403 without a known error, which firewalls send because of content too. */
export function isBareForbidden(error: unknown): boolean {
  const { status, text } = readFailure(error)
  return status === 403 && !rules.some(({ pattern }) => pattern.test(text))
}

/** Whether a call costs nothing, because the provider refused it or was never reached. */
export function isUnbilled(error: unknown): boolean {
  if (APICallError.isInstance(error) && (error.statusCode ?? 0) >= 400) return true
  return listCauses(error).some(({ code }) => unreachedCodes.includes(String(code)))
}

const unreachedCodes = [
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  'UND_ERR_CONNECT_TIMEOUT',
]

/** Whether a server refused the schema of the answer, which some servers don't support. */
export function isSchemaError(error: unknown): boolean {
  if (!APICallError.isInstance(error)) return false
  return (
    schemaErrorStatuses.includes(error.statusCode ?? 0) &&
    schemaErrorPattern.test(readFailure(error).text)
  )
}

const schemaErrorStatuses = [400, 404, 415, 422, 500, 501]
const schemaErrorPattern =
  /response_?format|json_?schema|grammar|structured|output_config|responseSchema/i

/** Finds the ModelError of an idle timeout, which fetch may wrap as a cause. */
function findModelError(error: unknown): ModelError | undefined {
  return listCauses(error).find((each) => each instanceof ModelError)
}

/** Lists an error and its causes. */
function listCauses(error: unknown): (Error & { readonly code?: unknown })[] {
  const causes: Error[] = []
  for (let each = error; each instanceof Error && causes.length < 5; each = each.cause)
    causes.push(each)
  return causes
}

function readFailure(error: unknown): Failure {
  if (APICallError.isInstance(error)) {
    const headers = error.responseHeaders ?? {}
    const body = (error.responseBody ?? '').slice(0, 10_000)
    return {
      // An unreadable stream has status 200, which says nothing about the error.
      status: error.statusCode !== undefined && error.statusCode >= 400 ? error.statusCode : null,
      text: `${error.message}\n${body}`,
      message: error.message,
      retryAfterMs: readRetryAfter(headers, body),
    }
  }
  const { message, type, code, statusCode } = asRecord(error)
  const texts = [message, error, ''].filter((each) => typeof each === 'string')
  const text = texts[0]!
  return {
    status: findStatus(statusCode, code),
    text: [text, type, code].filter((part) => typeof part === 'string').join('\n'),
    message: text,
    retryAfterMs: undefined,
  }
}

function findStatus(statusCode: unknown, code: unknown): number | null {
  if (typeof statusCode === 'number') return statusCode
  return typeof code === 'number' && code >= 400 ? code : null
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/**
 * Reads the time until a retry, in milliseconds, from `retry-after-ms`, `retry-after` (RFC 9110,
 * 10.2.3: seconds or a date), or Google's RetryInfo in the body.
 */
function readRetryAfter(
  headers: Readonly<Record<string, string>>,
  body: string,
): number | undefined {
  const milliseconds = Number(headers['retry-after-ms'])
  if (Number.isFinite(milliseconds) && milliseconds > 0) return milliseconds
  const header = headers['retry-after']
  if (header !== undefined) {
    const isSeconds = /^\s*\d+(\.\d+)?\s*$/.test(header)
    const wait = isSeconds ? Number(header) * 1000 : Date.parse(header) - Date.now()
    if (Number.isFinite(wait)) return Math.max(0, wait)
  }
  const retryDelay = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)
  return retryDelay === null ? undefined : Number(retryDelay[1]) * 1000
}

/** Removes keys, addresses and control characters from a provider's message, and shortens it. */
function sanitizeMessage(text: string, secrets: readonly string[]): string {
  let result = text
  for (const secret of secrets)
    if (secret !== '')
      result = result.replaceAll(secret, '[key]').replaceAll(encodeURIComponent(secret), '[key]')
  return result
    .replace(/\b(sk|key|pk)[-_][\w-]{6,}[\w*.-]*|\bAIza[\w-]+|\bBearer\s+\S+/g, '[key]')
    .replace(/\b[a-z][a-z+.-]*:\/\/\S+/gi, '[address]')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, 200)
}
