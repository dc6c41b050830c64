// Runs `umpire doctor`, which checks the setup and explains how to fix problems.
import { readProcessEnvironment } from '../config/environment.ts'
import { ConfigError } from '../domain/errors.ts'
import { createCodeHost } from '../platforms/create-code-host.ts'
import { listSecrets, readConfig } from '../read-config.ts'
import { type CheckResult, ok, problem, skipped, warning } from '../workflows/diagnose/check.ts'
import { diagnose } from '../workflows/diagnose/diagnose.ts'
import { envFileOption } from './command-config.ts'
import { exitCode } from './exit-codes.ts'
import { hintAtVariables } from './hint-at-variables.ts'
import { listenForSignals } from './interruption.ts'
import { findMisspelledVariables } from './misspelled-variables.ts'
import { parseChoice, parseOptions } from './parse-options.ts'
import { readDatabaseStatus } from './read-database-status.ts'
import { renderDiagnosis } from './reports/diagnosis-report.ts'
import { startProgress } from './terminal-progress.ts'

export const usage = `Usage: umpire doctor [--format pretty|json] [--env-file <file>]

Checks configuration, programs, data folder, keys, database, platform, sign-in, address, models
and clocks. Changes nothing. Sends one short request to each configured model. Variables are read
from the environment, and from the file of --env-file if the environment does not set them. The
command does not read .env, which is where a service reads them.

Exit codes: 0 no problems, or only warnings; 3 problems; 5 only problems of reaching something.
See docs/operating.md.`

export async function run(args: string[]): Promise<number> {
  const { values } = parseOptions(args, {
    format: { type: 'string', default: 'pretty' },
    ...envFileOption,
  })
  const format = parseChoice('--format', values.format, ['pretty', 'json'])
  using interruption = listenForSignals()
  using progress = startProgress(process.stderr, false)
  progress.step('Checking the setup')
  try {
    const results = await checkSetup(values['env-file'], interruption.signal)
    progress.clear()
    const code = chooseExitCode(results)
    // A reader such as `head` may close the pipe early.
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
  let misspelled: readonly CheckResult[] = []
  try {
    if (envFile === undefined) hintAtVariables(envFile)
    else misspelled = checkVariableNames(envFile)
    const config = await readConfig(readProcessEnvironment(envFile))
    const secrets = listSecrets(config).filter((secret) => secret !== null)
    const setup = {
      config,
      platforms: config.hosts.map(({ platform }) => createCodeHost(platform)),
      readDatabase: (signal: AbortSignal) => readDatabaseStatus(config, signal),
    }
    const results = await diagnose(setup, secrets, signal)
    return [
      ...misspelled,
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
      ...misspelled,
      ...error.problems.map((text) => ({
        name,
        ...problem(`${text}.`, 'See docs/configuration.md.'),
      })),
      { name: 'everything else', ...skipped('It can be checked when the configuration is right.') },
    ]
  }
}

function checkVariableNames(envFile: string): CheckResult[] {
  return findMisspelledVariables(envFile).map(({ name, closest }) => {
    const message = `${name} in ${envFile} is not a variable of Umpire.`
    return { name: 'configuration', ...warning(message, `Did you mean ${closest}?`) }
  })
}

function chooseExitCode(results: readonly CheckResult[]): number {
  const problems = results.filter(({ state }) => state === 'problem')
  if (problems.length === 0) return exitCode.ok
  return problems.every(({ unreachable }) => unreachable)
    ? exitCode.unreachable
    : exitCode.configuration
}
