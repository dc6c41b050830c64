// Defines the exit codes and reports errors.
import { UmpireError } from '../domain/errors.ts'
import { toTerminalLine, toTerminalText } from '../lib/terminal-text.ts'

export const exitCode = {
  ok: 0,
  /** There are findings at or over the threshold. */
  findings: 1,
  usage: 2,
  /** The configuration or the sign-in is wrong. */
  configuration: 3,
  /** Something that matters was not reviewed, and no finding reaches the threshold. */
  partial: 4,
  unreachable: 5,
  /** The number of the signal is added. */
  signal: 128,
} as const

/** Thrown if the command line is wrong. */
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
 * Prints an error on stderr and returns the exit code.
 *
 * @param help the command that shows the usage of the failed command
 */
export function reportError(error: unknown, help: string): number {
  if (error instanceof UsageError) {
    const sentence = toTerminalLine(error.message).replace(/(?<![?.])$/, '.')
    console.error(`umpire: ${sentence} See ${help}.`)
    return exitCode.usage
  }
  if (error instanceof UmpireError) {
    console.error(`umpire: ${toTerminalText(error.message)}`)
    if (usageErrorCodes.includes(error.code)) return exitCode.usage
    const isUnavailable = error.retryable || unavailableErrorCodes.includes(error.code)
    return isUnavailable ? exitCode.unreachable : exitCode.configuration
  }
  console.error('umpire: an unexpected error; please report it with what follows')
  console.error(error)
  // Node exits with this code after an uncaught error.
  return 1
}
