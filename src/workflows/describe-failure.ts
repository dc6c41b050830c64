// What a fault means for the work that it broke off: whether it is tried again, when, and what people are told.
import type { Config } from '../config/config.ts'
import { UmpireError } from '../domain/errors.ts'

/** Code of the error where only tokens are there that another secret key opens. */
export const secretKeyLostCode = 'secret_key_lost'

/** Why work is broken off when the worker stops. */
export class WorkerStopping extends Error {}

export interface WorkFailure {
  /** For people. */
  readonly message: string
  readonly code: string
  /** It isn't tried again. */
  readonly isFinal: boolean
  /** It is no try that failed: it waits for the operator, for as long as that takes. */
  readonly waitsForOperator: boolean
  /** Until the next try. */
  readonly delaySeconds: number
}

/**
 * Expected errors say whether trying again can help; of others we don't know, so they get their tries too.
 *
 * @param attempt 1 for the first try
 */
export function describeFailure(
  { retrySeconds, maxAttempts }: Pick<Config['review'], 'retrySeconds' | 'maxAttempts'>,
  attempt: number,
  error: unknown,
): WorkFailure {
  const isExpected = error instanceof UmpireError
  const canRetry = isExpected ? error.retryable : true
  const waits = isExpected && error.code === secretKeyLostCode
  const backoff = retrySeconds * 2 ** (attempt - 1)
  const asked = isExpected ? (error.retryAfterMs ?? 0) / 1000 : 0
  return {
    message: isExpected ? error.message : 'An internal error; the log has its details.',
    code: isExpected ? error.code : 'internal',
    isFinal: !canRetry || (attempt >= maxAttempts && !waits),
    waitsForOperator: waits,
    delaySeconds: Math.max(Math.min(backoff, 600), asked),
  }
}
