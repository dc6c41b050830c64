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

/** These only read objects. */
const readers = new Set(['diff', 'ls-tree', 'merge-base', 'rev-list', 'rev-parse', 'show'])
const objectIds = /^[0-9a-f]{40}(\^\{\w+\}|\.\.[0-9a-f]{40})?$/

/** Results of commands about whole object ids, by folder and command. */
const known = new Map<string, ProgramResult>()
const maxKnown = 2000
const maxKnownBytes = 16_384

/** Runs `git <args>` in a folder and returns its result with any exit code. */
export async function tryGit(
  directory: string,
  args: readonly string[],
  options: { input?: Uint8Array | string | undefined; environment?: Record<string, string> } = {},
): Promise<ProgramResult> {
  const key = isAboutObjects(args) ? [directory, ...args].join('\0') : null
  const before = key === null ? undefined : known.get(key)
  if (before !== undefined) return before
  const env = { ...gitEnvironment(), ...options.environment }
  const result = await runProgram({
    ...{ program: 'git', args, cwd: directory, env },
    input: options.input ?? '',
  })
  // An object that is missing now may arrive.
  if (key !== null && result.code === 0 && result.stdout.length <= maxKnownBytes) {
    if (known.size >= maxKnown) known.delete([...known.keys()][0]!)
    known.set(key, result)
  }
  return result
}

/** Returns whether a command prints the same each time, because the forge never deletes objects. */
function isAboutObjects([command = '', ...args]: readonly string[]): boolean {
  const end = args.indexOf('--')
  const revisions = (end < 0 ? args : args.slice(0, end)).filter((arg) => !arg.startsWith('-'))
  return (
    readers.has(command) && revisions.length > 0 && revisions.every((arg) => objectIds.test(arg))
  )
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
