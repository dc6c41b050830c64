// Says on stderr which variables aren't read.
import { hasDefaultEnvFile } from '../config/environment.ts'
import { findMisspelledVariables } from './misspelled-variables.ts'

/**
 * Names the misspelled variables of a file. Without a file, says that the `.env` file of the
 * working directory isn't read.
 *
 * @param envFile the file that the user named, if any
 * @throws ConfigError if the file can't be read
 */
export function hintAtVariables(envFile: string | null | undefined): void {
  if (envFile) {
    for (const { name, closest } of findMisspelledVariables(envFile))
      console.error(
        `umpire: ${name} in ${envFile} is not a variable of Umpire; did you mean ${closest}?`,
      )
  } else if (hasDefaultEnvFile()) {
    console.error(
      'umpire: the .env file in this folder is not read; if it is yours, give --env-file .env',
    )
  }
}
