// Describes a failure of work: whether and when it is retried, and the message for people.
import type { Config } from '../context.ts'
import { UmpireError } from '../domain/errors.ts'

/** The error code when the current secret key can't decrypt the stored tokens. */
export const secretKeyLostCode = 'secret_key_lost'

/** The abort reason of work that is interrupted because the worker stops. */
export class WorkerStopping extends Error {}

interface WorkFailure {
  /** It is shown to people. */
  readonly message: string
  readonly code: string
  /** The work isn't retried. */
  readonly isFinal: boolean
  /** The attempt doesn't count: the work waits until the operator fixes the cause. */
  readonly waitsForOperator: boolean
  readonly delaySeconds: number
}

/**
 * Expected errors define whether they are retryable; unexpected ones are always retried.
 *
 * @param attempt the number of the failed attempt, from 1
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
  const requestedDelay = isExpected ? (error.retryAfterMs ?? 0) / 1000 : 0
  return {
    message: isExpected ? error.message : 'An internal error; the log has its details.',
    code: isExpected ? error.code : 'internal',
    isFinal: !canRetry || (attempt >= maxAttempts && !waits),
    waitsForOperator: waits,
    delaySeconds: Math.max(Math.min(backoff, 600), requestedDelay),
  }
}
