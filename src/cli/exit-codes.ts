// Exit codes, and what an error comes to.
import { UmpireError } from '../domain/errors.ts'
import { toTerminalLine, toTerminalText } from './terminal-text.ts'

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

const usageErrorCodes = [
  'no_repository',
  'nothing_to_compare',
  'platform_not_found',
  'not_found',
  'conflict',
]
const unavailableErrorCodes = ['database_stopped']

/**
 * Says on stderr what went wrong, and returns the exit code.
 *
 * @param help the command that tells how to call the one that failed
 */
export function reportError(error: unknown, help: string): number {
  if (error instanceof UsageError) {
    console.error(
      `umpire: ${toTerminalLine(error.message).replace(/(?<![?.])$/, '.')} See ${help}.`,
    )
    return exitCode.usage
  }
  if (error instanceof UmpireError) {
    console.error(`umpire: ${toTerminalText(error.message)}`)
    if (usageErrorCodes.includes(error.code)) return exitCode.usage
    return error.retryable || unavailableErrorCodes.includes(error.code)
      ? exitCode.unreachable
      : exitCode.configuration
  }
  console.error('umpire: an unexpected error; please report it with what follows')
  console.error(error)
  return 1
}
