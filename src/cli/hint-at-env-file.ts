// Says on stderr that the `.env` file of the working directory isn't read.
import { hasDefaultEnvFile } from '../config/environment.ts'

/** @param envFile the file that the user named instead, if any */
export function hintAtEnvFile(envFile: string | null | undefined): void {
  if (envFile || !hasDefaultEnvFile()) return
  console.error(
    'umpire: the .env file in this folder is not read; if it is yours, give --env-file .env',
  )
}
