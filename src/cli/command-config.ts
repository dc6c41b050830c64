// Reads the configuration of commands other than `serve`, which can run in any folder.
import { hasDefaultEnvFile, readProcessEnvironment } from '../config/environment.ts'
import type { Config } from '../context.ts'
import { readConfig } from '../read-config.ts'

export const envFileOption = { 'env-file': { type: 'string' } } as const

/**
 * Reads the configuration from the environment and the given file. Unlike `serve`, it doesn't read
 * `.env` in the working directory, which may belong to an untrusted repository. If there is one, it
 * prints a hint on stderr.
 *
 * @throws ConfigError that lists all problems
 */
export async function readCommandConfig(envFile: string | undefined): Promise<Config> {
  if (envFile === undefined && hasDefaultEnvFile()) {
    console.error(
      'umpire: the .env file in this folder is not read; if it is yours, give --env-file .env',
    )
  }
  return readConfig(readProcessEnvironment(envFile))
}
