// Errors with a stable code and whether a retry can succeed.

/** Base of all expected errors. `message` is shown to people and must hold no secret. */
export class UmpireError extends Error {
  /** The code never changes, for example `platform_rate_limited`. */
  readonly code: string
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
  /** Minimum time before a retry in milliseconds, if it is known. */
  readonly retryAfterMs: number | undefined

  constructor(
    code: string,
    message: string,
    options: { retryable?: boolean; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = new.target.name
    this.code = code
    this.retryable = options.retryable ?? false
    this.retryAfterMs = options.retryAfterMs
  }
}

/** The configuration is wrong or incomplete; the message lists every problem. */
export class ConfigError extends UmpireError {
  readonly problems: readonly string[]

  constructor(message: string, problems: readonly string[] = [message]) {
    super('config_invalid', message)
    this.problems = problems
  }
}

export type PlatformErrorCode =
  | 'platform_unauthorized' // the token is not accepted
  | 'platform_forbidden' // the token lacks a permission
  | 'platform_not_found' // no such repository, pull request, file, or no access to it
  | 'platform_rate_limited' // primary or secondary limit; retryable after the time in the headers
  | 'platform_too_large' // the platform refuses to return it because of its size (406)
  | 'platform_refused' // the platform understood and refused (422)
  | 'platform_unavailable' // 5xx, timeout, network; retryable
  | 'platform_invalid_response' // HTML, truncated JSON, endless pages; retryable

/** The code-hosting platform refused a request, failed, or sent an invalid response. */
export class PlatformError extends UmpireError {
  declare readonly code: PlatformErrorCode
  /** HTTP status, or 0 when there was no answer. */
  readonly status: number

  constructor(
    code: PlatformErrorCode,
    message: string,
    options: { status?: number; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    const retryable =
      code === 'platform_rate_limited' ||
      code === 'platform_unavailable' ||
      code === 'platform_invalid_response'
    super(code, message, { ...options, retryable })
    this.status = options.status ?? 0
  }
}

/** Whether the platform has no such thing, or the token can't see it. */
export function isNotFound(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.code === 'platform_not_found'
}

/** Whether the platform answered that it won't do this, or has no such thing. */
export function isRefusal(error: unknown): error is PlatformError {
  return error instanceof PlatformError && refusals.includes(error.code)
}

const refusals: readonly PlatformErrorCode[] = [
  'platform_forbidden',
  'platform_not_found',
  'platform_refused',
]

export type ModelErrorCode =
  | 'model_unauthorized' // the key is not accepted; not retryable
  | 'model_rate_limited' // retryable after the time in the headers
  | 'model_unavailable' // 5xx, overloaded, timeout, stream cut; retryable
  | 'model_context_overflow' // the input is too long: split it
  | 'model_refused' // the model declined to answer
  | 'model_invalid_output' // no usable answer, even after the repair round
  | 'model_budget_spent' // the configured budget is used up
  | 'model_misconfigured' // unknown model, wrong address; not retryable

/** A model could not be used or gave no valid answer. */
export class ModelError extends UmpireError {
  declare readonly code: ModelErrorCode

  constructor(
    code: ModelErrorCode,
    message: string,
    options: { retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(code, message, {
      ...options,
      retryable: code === 'model_rate_limited' || code === 'model_unavailable',
    })
  }

  /** Safe for everyone. The message itself may quote the provider, which is for the operator. */
  get publicMessage(): string {
    return publicModelMessages[this.code] ?? this.message
  }
}

/** A spent budget has no entry, as its message is our own and users have to see it. */
const publicModelMessages: Readonly<Partial<Record<ModelErrorCode, string>>> = {
  model_unauthorized: 'The model could not be asked.',
  model_misconfigured: 'The model could not be asked.',
  model_rate_limited: 'The model did not answer in time.',
  model_unavailable: 'The model did not answer in time.',
  model_context_overflow: 'The input is too long for the model.',
  model_refused: 'The model refused to answer.',
  model_invalid_output: 'The model gave no usable answer.',
}

/** git failed or was refused an argument, an address or a time limit. */
export class GitError extends UmpireError {
  constructor(message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super('git_failed', message, options)
  }
}

/** Another worker took over the review, so this one must not write any more. */
export class LeaseLostError extends UmpireError {
  constructor() {
    super('lease_lost', 'The review was taken over by another worker.')
  }
}

/**
 * The account whose token a review uses was disconnected, so the review must not write any more.
 */
export class ConnectionEndedError extends UmpireError {
  constructor() {
    super('connection_ended', 'The repository was disconnected during its review.', {
      retryable: true,
    })
  }
}

export type RequestErrorCode =
  | 'request_invalid' // a parameter is invalid
  | 'request_malformed' // the same, where the interface specifies status 400
  | 'not_authenticated' // no valid credential
  | 'access_denied' // the credential is valid, but not for this
  | 'not_found'
  | 'already_done' // the requested state is already reached
  | 'conflict' // not possible in the present state
  | 'too_large' // the body is too large
  | 'too_many' // a limit of this service is reached
  | 'platform_failed' // the code-hosting platform failed or refused
  | 'not_configured' // a part of this service is turned off

/** A request through the API can't be fulfilled; the message is its `detail`. */
export class RequestError extends UmpireError {
  declare readonly code: RequestErrorCode

  constructor(
    code: RequestErrorCode,
    message: string,
    options: { retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(code, message, options)
  }
}
