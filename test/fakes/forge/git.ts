// Runs git without a shell and without the machine's configuration.
import { type ProgramResult, runProgram } from '../run-program.ts'

/** The environment of every git process. Identities and dates are given by commands. */
export function gitEnvironment(): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
  }
}

/** Runs `git <args>` in a folder and returns its result with any exit code. */
export function tryGit(
  directory: string,
  args: readonly string[],
  options: { input?: Uint8Array | string | undefined; environment?: Record<string, string> } = {},
): Promise<ProgramResult> {
  const env = { ...gitEnvironment(), ...options.environment }
  return runProgram({ program: 'git', args, cwd: directory, env, input: options.input ?? '' })
}

/** Runs `git <args>` in a folder. Returns its output; throws with its error text when it fails. */
export async function git(
  directory: string,
  args: readonly string[],
  options: { input?: Uint8Array | string | undefined; environment?: Record<string, string> } = {},
): Promise<Buffer> {
  const result = await tryGit(directory, args, options)
  if (result.code !== 0)
    throw new Error(`git ${args[0]} ended with ${result.code}: ${result.stderr.trim()}`)
  return result.stdout
}

/** Runs `git <args>` and returns its output as one trimmed line. */
export async function gitLine(directory: string, args: readonly string[]): Promise<string> {
  return (await git(directory, args)).toString('utf8').trim()
}
