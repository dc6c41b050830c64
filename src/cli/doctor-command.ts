// `umpire doctor`: checks the set-up, and says of each part what is right or what to do.
import { ConfigError } from '../domain/errors.ts'
import { createPlatform } from '../platforms/index.ts'
import { listSecrets } from '../review-context.ts'
import { type CheckResult, ok, problem, skipped } from '../workflows/diagnose/check.ts'
import { diagnose } from '../workflows/diagnose/diagnose.ts'
import { envFileOption, readCommandConfig } from './command-config.ts'
import { exitCode } from './exit-codes.ts'
import { listenForSignals } from './interruption.ts'
import { parseChoice, parseOptions } from './parse-options.ts'
import { readDatabaseStatus } from './read-database-status.ts'
import { renderDiagnosis } from './reports/diagnosis-report.ts'
import { startProgress } from './terminal-progress.ts'

export const doctorUsage = `Usage: umpire doctor [--format pretty|json] [--env-file <file>]

Checks configuration, programs, data folder, keys, database, platform, sign-in, address, models and clocks. Changes
nothing; each configured model is asked one short question. Variables come from the environment, and from the file of
--env-file where that doesn't set them: a service reads .env in its own folder.

Exit codes: 0 nothing is wrong, or warnings only; 3 problems; 5 all that is wrong is that something can't be reached.
See docs/operating.md.`

/** Returns the exit code. */
export async function runDoctor(args: string[]): Promise<number> {
  const { values } = parseOptions(args, {
    format: { type: 'string', default: 'pretty' },
    ...envFileOption,
  })
  const format = parseChoice('--format', values.format, ['pretty', 'json'])
  using interruption = listenForSignals()
  using progress = startProgress(process.stderr, false)
  progress.step('Checking the set-up')
  try {
    const results = await checkSetup(values['env-file'], interruption.signal)
    progress.clear()
    const code = chooseExitCode(results)
    // Who reads us may have seen enough.
    process.stdout.on('error', () => undefined)
    process.stdout.write(renderDiagnosis(results, code, format))
    return code
  } catch (error) {
    if (interruption.signal.aborted) return interruption.exitCode()
    throw error
  }
}

async function checkSetup(
  envFile: string | undefined,
  signal: AbortSignal,
): Promise<readonly CheckResult[]> {
  try {
    const config = readCommandConfig(envFile)
    const secrets = listSecrets(config).filter((secret) => secret !== null)
    const setup = {
      config,
      platform: createPlatform(config.platform),
      readDatabase: (signal: AbortSignal) => readDatabaseStatus(config, signal),
    }
    const results = await diagnose(setup, secrets, signal)
    return [
      {
        name: 'configuration',
        ...ok('All variables have the right form, and none contradicts another.'),
      },
      ...results,
    ]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const name = 'configuration'
    return [
      ...error.problems.map((text) => ({
        name,
        ...problem(`${text}.`, 'See docs/configuration.md.'),
      })),
      { name: 'everything else', ...skipped('It can be checked when the configuration is right.') },
    ]
  }
}

function chooseExitCode(results: readonly CheckResult[]): number {
  const problems = results.filter(({ state }) => state === 'problem')
  if (problems.length === 0) return exitCode.ok
  return problems.every(({ unreachable }) => unreachable)
    ? exitCode.unreachable
    : exitCode.configuration
}
