// Reads the configuration of commands other than `serve`, which can run in any folder, and logs.
import { readProcessEnvironment } from '../config/environment.ts'
import type { Config } from '../context.ts'
import { createLogger, type Log } from '../lib/logger.ts'
import { listSecrets, readConfig } from '../read-config.ts'
import { hintAtVariables } from './hint-at-variables.ts'

export const envFileOption = { 'env-file': { type: 'string' } } as const

/**
 * Reads the configuration from the environment and the given file. Unlike `serve`, it doesn't read
 * `.env` in the working directory, which may belong to an untrusted repository. If there is one, it
 * prints a hint on stderr.
 *
 * @param level of the log; by default the configured one
 * @throws ConfigError that lists all problems
 */
export async function readCommandConfig(
  envFile: string | undefined,
  level?: string,
): Promise<{ readonly config: Config; readonly log: Log }> {
  hintAtVariables(envFile)
  const config = await readConfig(readProcessEnvironment(envFile))
  const log = createLogger({ level: level ?? config.log.level, secrets: listSecrets(config) })
  return { config, log }
}
