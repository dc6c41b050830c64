// Exit codes, and what an error comes to.
import { UmpireError } from '../domain/errors.ts'

export const exitCode = {
  ok: 0,
  /** Findings at or over the threshold. */
  findings: 1,
  usage: 2,
  /** Configuration or sign-in. */
  configuration: 3,
  /** Something that matters was not reviewed, and nothing over the threshold was found. */
  partial: 4,
  unreachable: 5,
  /** And the signal's number. */
  signal: 128,
} as const

/** The command line makes no sense. */
export class UsageError extends Error {}

const usageCodes = ['no_repository', 'nothing_to_compare', 'platform_not_found']
const downCodes = ['database_stopped']

/**
 * Says on stderr what went wrong, and returns the exit code.
 *
 * @param usage how the command is to be called, shown after errors of usage
 */
export function explainError(error: unknown, usage: string): number {
  const isUsage = error instanceof UsageError || (error as NodeJS.ErrnoException)?.code?.startsWith('ERR_PARSE_ARGS')
  if (isUsage) {
    console.error(`umpire: ${(error as Error).message}\n\n${usage}`)
    return exitCode.usage
  }
  if (error instanceof UmpireError) {
    console.error(`umpire: ${error.message}`)
    if (usageCodes.includes(error.code)) return exitCode.usage
    return error.retryable || downCodes.includes(error.code) ? exitCode.unreachable : exitCode.configuration
  }
  console.error('umpire: an unexpected error; please report it with what follows')
  console.error(error)
  return 1
}
