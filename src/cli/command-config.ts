// Reads the configuration of commands other than `serve`, which can run in any folder.
import type { Config } from '../config/config.ts'
import { hasDefaultEnvFile, readProcessEnvironment } from '../config/environment.ts'
import { readConfig } from '../config/read-config.ts'

export const envFileOption = { 'env-file': { type: 'string' } } as const

/**
 * Reads the configuration from the environment and the given file. Unlike `serve`, it doesn't read
 * `.env` in the working directory, which may belong to an untrusted repository. If there is one, it
 * prints a hint on stderr.
 *
 * @throws ConfigError that lists all problems
 */
export function readCommandConfig(envFile: string | undefined): Config {
  if (envFile === undefined && hasDefaultEnvFile()) {
    console.error(
      'umpire: the .env file in this folder is not read; if it is yours, give --env-file .env',
    )
  }
  return readConfig(readProcessEnvironment(envFile))
}
