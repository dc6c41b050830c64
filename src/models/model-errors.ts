// Turns what providers and the network throw into a ModelError with a code, without keys and addresses in it.
import { APICallError } from 'ai'
import { ModelError, type ModelErrorCode } from '../domain/errors.ts'

/** What is known about a failure, whichever way it arrived: as a status, or as an event within a stream. */
interface Failure {
  readonly status: number | null
  /** The provider's own words: message, type, code. */
  readonly text: string
  readonly message: string
  readonly retryAfterMs: number | undefined
}

interface Rule {
  readonly code: ModelErrorCode
  readonly status: readonly number[]
  readonly pattern: RegExp
  readonly says: string
}

// The first rule that fits by its words counts, then the first that fits by status: the words are more exact, since
// the same status 400 stands for a prompt that is too long, a wrong key and a missing credit.
const rules: readonly Rule[] = [
  {
    code: 'model_context_overflow',
    status: [413],
    pattern:
      /prompt is too long|context[_ ]length|context window|maximum context|input token count.{0,40}exceeds|request_too_large|exceeds? the (available )?context|too many (input )?tokens|too large to process/i,
    says: 'the input is too long for the model',
  },
  {
    code: 'model_unauthorized',
    status: [402],
    pattern: /insufficient_quota|credit balance|billing_error|billing (hard )?limit/i,
    says: 'the account at the provider has no credit left',
  },
  {
    code: 'model_unauthorized',
    status: [401, 403],
    pattern:
      /authentication_error|permission_(error|denied)|invalid_api_key|api[ _-]?key.{0,20}(not valid|invalid|expired)/i,
    says: 'the provider does not accept the key',
  },
  {
    code: 'model_refused',
    status: [],
    pattern: /content_policy_violation|content_filter|content management policy/i,
    says: 'the provider refused the content',
  },
  {
    code: 'model_rate_limited',
    status: [429],
    pattern: /rate_limit_error|rate_limit_exceeded|resource_exhausted/i,
    says: 'the provider limits the rate of calls',
  },
  {
    code: 'model_unavailable',
    status: [408, 409, 425],
    pattern: /overloaded|server_error|internal error|temporarily unavailable/i,
    says: 'the provider is overloaded or failing',
  },
  {
    code: 'model_misconfigured',
    status: [404],
    pattern: /model_not_found|not_found_error/i,
    says: 'the provider does not know the model or the address is wrong',
  },
]

/**
 * Maps anything thrown by a provider to a ModelError. It carries no cause: the originals hold the whole request.
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
  const make = (code: ModelErrorCode, says: string) =>
    new ModelError(code, `Model: ${says}${status}${detail === '' ? '.' : `: ${detail}`}`, {
      retryAfterMs: failure.retryAfterMs,
    })
  if (rule !== undefined) return make(rule.code, rule.says)
  if (failure.status !== null && failure.status >= 400 && failure.status < 500)
    return make('model_misconfigured', 'the provider refused the request')
  return make('model_unavailable', 'the provider could not be reached or broke off')
}

/** Whether only the status 403 speaks of a refused key: gateways and firewalls answer so to what a request holds too. */
export function isBareForbidden(error: unknown): boolean {
  const { status, text } = readFailure(error)
  return status === 403 && !rules.some(({ pattern }) => pattern.test(text))
}

/** Whether a refusal was about the demanded shape of the answer, which not every server knows. */
export function isSchemaError(error: unknown): boolean {
  if (
    !APICallError.isInstance(error) ||
    ![400, 404, 415, 422, 500, 501].includes(error.statusCode ?? 0)
  )
    return false
  return /response_?format|json_?schema|grammar|structured|output_config|responseSchema/i.test(
    readFailure(error).text,
  )
}

// An abort with a ModelError as its reason (silence on the line) arrives bare or wrapped by fetch.
function findModelError(error: unknown): ModelError | undefined {
  let current = error
  for (let depth = 0; depth < 5 && current instanceof Error; depth++, current = current.cause)
    if (current instanceof ModelError) return current
  return undefined
}

function readFailure(error: unknown): Failure {
  if (APICallError.isInstance(error)) {
    const headers = error.responseHeaders ?? {}
    const body = (error.responseBody ?? '').slice(0, 10_000)
    return {
      // A stream that could not be read as one has status 200: no refusal.
      status: error.statusCode !== undefined && error.statusCode >= 400 ? error.statusCode : null,
      text: `${error.message}\n${body}`,
      message: error.message,
      retryAfterMs: readRetryAfter(headers, body),
    }
  }
  const { message, type, code, statusCode } = asRecord(error)
  const said = typeof message === 'string' ? message : typeof error === 'string' ? error : ''
  return {
    status:
      typeof statusCode === 'number'
        ? statusCode
        : typeof code === 'number' && code >= 400
          ? code
          : null,
    text: [said, type, code].filter((part) => typeof part === 'string').join('\n'),
    message: said,
    retryAfterMs: undefined,
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

// `retry-after` (RFC 9110, 10.2.3: seconds or a date), its form in milliseconds, and Google's RetryInfo in the body.
function readRetryAfter(
  headers: Readonly<Record<string, string>>,
  body: string,
): number | undefined {
  const milliseconds = Number(headers['retry-after-ms'])
  if (Number.isFinite(milliseconds) && milliseconds > 0) return milliseconds
  const header = headers['retry-after']
  if (header !== undefined) {
    const wait = /^\s*\d+(\.\d+)?\s*$/.test(header)
      ? Number(header) * 1000
      : Date.parse(header) - Date.now()
    if (Number.isFinite(wait)) return Math.max(0, wait)
  }
  const inBody = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)
  return inBody === null ? undefined : Number(inBody[1]) * 1000
}

/** A provider's message made fit to be shown: no keys, no addresses, no control characters, short. */
export function sanitizeMessage(text: string, secrets: readonly string[]): string {
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
