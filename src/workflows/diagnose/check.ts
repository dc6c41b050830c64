// What a check of the set-up is, and running many of them: side by side, each with a deadline, none able to fail the rest.
import { UmpireError } from '../../domain/errors.ts'
import { redactKnownSecrets } from '../../lib/redact-known-secrets.ts'

/** What a check found. */
export interface Observation {
  readonly state: 'ok' | 'warning' | 'problem' | 'skipped'
  /** A sentence or two for people; never a secret. */
  readonly message: string
  /** What to do about it. */
  readonly remedy?: string | undefined
  /** The problem is only that something can't be reached now. */
  readonly unreachable?: boolean
}

export interface Check {
  /** In few words, as people see it. */
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

const usualDeadlineMs = 20_000

/**
 * Runs the checks at once. Results come in the order of the checks.
 *
 * @param secrets blotted out of everything that is told
 * @throws the signal's reason when it was aborted
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
  const deadlineMs = check.deadlineMs ?? usualDeadlineMs
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), deadlineMs)
  const both = AbortSignal.any([signal, deadline.signal])
  try {
    const observations = await Promise.race([check.run(both), whenAborted(both)])
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

/** For checks that don't heed their signal. */
function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** What an error comes to that a check has nothing better to say of. */
export function explainError(error: unknown, remedy?: string): Observation {
  if (error instanceof UmpireError) {
    return error.retryable ? unreachable(error.message, remedy) : problem(error.message, remedy)
  }
  return problem(
    `The check failed: ${error instanceof Error ? error.message : String(error)}`,
    remedy,
  )
}
