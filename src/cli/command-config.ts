// The configuration of the commands beside a service, which may be called in anybody's folder.
import type { Config } from '../config/config.ts'
import { hasDefaultEnvFile, readProcessEnvironment } from '../config/environment.ts'
import { readConfig } from '../config/read-config.ts'

/** The option that names a file of variables. */
export const envFileOption = { 'env-file': { type: 'string' } } as const

/**
 * Reads the configuration from the environment and the file that was named.
 *
 * Says on stderr that a `.env` file lies here and isn't read, which is how services are configured.
 *
 * @throws ConfigError that lists everything that is wrong
 */
export function readCommandConfig(envFile: string | undefined): Config {
  if (envFile === undefined && hasDefaultEnvFile()) {
    console.error(
      'umpire: the .env file in this folder is not read; if it is yours, give --env-file .env',
    )
  }
  return readConfig(readProcessEnvironment(envFile))
}
