// Runs checks of an installation concurrently, each with a deadline; a failing check can't fail the
// others.
import { UmpireError } from '../../domain/errors.ts'
import { abortable } from '../../lib/abortable.ts'
import { redactKnownSecrets } from '../../lib/redact-known-secrets.ts'

export interface Observation {
  readonly state: 'ok' | 'warning' | 'problem' | 'skipped'
  /** One or two sentences for people, without secrets. */
  readonly message: string
  /** It says what to do. */
  readonly remedy?: string | undefined
  /** Something can't be reached now, which may be temporary. */
  readonly unreachable?: boolean
}

export interface Check {
  /** It is shown to people. */
  readonly name: string
  readonly deadlineMs?: number
  run(signal: AbortSignal): Promise<Observation | readonly Observation[]>
}

export interface CheckResult extends Observation {
  readonly name: string
}

export const ok = (message: string): Observation => ({ state: 'ok', message })
export const skipped = (message: string): Observation => ({ state: 'skipped', message })
export const warning = (message: string, remedy?: string): Observation => ({
  state: 'warning',
  message,
  remedy,
})
export const problem = (message: string, remedy?: string): Observation => ({
  state: 'problem',
  message,
  remedy,
})
export const unreachable = (message: string, remedy?: string): Observation => ({
  ...problem(message, remedy),
  unreachable: true,
})

const defaultDeadlineMs = 20_000

/**
 * Runs the checks concurrently. Results have the order of the checks.
 *
 * @param secrets values to redact in all texts
 * @throws the signal's reason if it was aborted
 */
export async function runChecks(
  checks: readonly Check[],
  secrets: readonly string[],
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const results = await Promise.all(checks.map((check) => runCheck(check, signal)))
  return results.flat().map((result) => ({
    ...result,
    message: redactKnownSecrets(result.message, secrets),
    ...(result.remedy === undefined ? {} : { remedy: redactKnownSecrets(result.remedy, secrets) }),
  }))
}

async function runCheck(check: Check, signal: AbortSignal): Promise<CheckResult[]> {
  const deadlineMs = check.deadlineMs ?? defaultDeadlineMs
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), deadlineMs)
  const both = AbortSignal.any([signal, deadline.signal])
  try {
    // A check may ignore its signal.
    const observations = await abortable(check.run(both), both)
    return [observations].flat().map((observation) => ({ name: check.name, ...observation }))
  } catch (error) {
    signal.throwIfAborted()
    const observation = deadline.signal.aborted
      ? unreachable(`There was no answer within ${deadlineMs / 1000} s.`)
      : explainError(error)
    return [{ name: check.name, ...observation }]
  } finally {
    clearTimeout(timer)
  }
}

/** Turns an error into an observation, for checks without a better explanation. */
export function explainError(error: unknown, remedy?: string): Observation {
  if (error instanceof UmpireError) {
    return error.retryable ? unreachable(error.message, remedy) : problem(error.message, remedy)
  }
  return problem(
    `The check failed: ${error instanceof Error ? error.message : String(error)}`,
    remedy,
  )
}
