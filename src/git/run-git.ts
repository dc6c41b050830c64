// Runs git without a shell, isolated from outside settings, with a deadline and bounded output.
import { GitError } from '../domain/errors.ts'
import { longPattern } from '../lib/long-pattern.ts'
import { type RunningProgram, type SpawnProgram, spawnProgram } from '../lib/spawn-program.ts'
import { type Metrics, timed } from '../metrics/metrics.ts'

/** What git gets of the machine. It sees nothing else of our environment. */
export interface GitRuntime {
  /** Folders to find git in, as in the variable PATH. */
  readonly path: string
  /** Variables for certificates and proxies, see `gitRuntimeFrom`. */
  readonly variables: Readonly<Record<string, string>>
  /** By default git is a child of this process. */
  readonly spawn?: SpawnProgram
  readonly metrics?: Pick<Metrics, 'git'>
}

export const defaultGitRuntime: GitRuntime = {
  path: '/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin',
  variables: {},
}

const inheritedVariables = [
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'HTTPS_PROXY',
  'https_proxy',
  'http_proxy',
  'ALL_PROXY',
  'all_proxy',
  'NO_PROXY',
  'no_proxy',
]

/** Selects the variables of an environment that git may see. */
export function gitRuntimeFrom(
  environment: Readonly<Record<string, string | undefined>>,
): GitRuntime {
  const variables: Record<string, string> = {}
  for (const name of inheritedVariables) {
    const value = environment[name]
    if (value !== undefined && value !== '') variables[name] = value
  }
  return { path: environment.PATH || defaultGitRuntime.path, variables }
}

/** The protocols that a command may use; `none` for commands that don't use the network. */
type GitProtocols = 'none' | 'https' | 'http:https'

export interface GitCommand {
  /** The repository; undefined for commands that need none. */
  readonly gitDirectory?: string
  /** The work tree, overriding the repository's settings; only for commands that read one. */
  readonly workTree?: string
  /** Used instead of the repository's own index. */
  readonly indexFile?: string
  /** Command and arguments. Untrusted values must follow `--end-of-options` or `-e`. */
  readonly args: readonly string[]
  /** These are added to `isolatedSettings`. They may be secret, as the environment passes them. */
  readonly settings?: readonly (readonly [key: string, value: string])[]
  readonly protocols?: GitProtocols
  /** Whether `*` and `[` in path arguments are wildcards. Default: false. */
  readonly pathGlobs?: boolean
}

export interface GitRun extends GitCommand {
  /** Milliseconds after which git is killed. */
  readonly timeoutMs: number
  /** Bytes of output after which git is killed and the outcome is `cut`. */
  readonly maxBytes?: number
  /** Receives the output in chunks, which then isn't collected; `enough` ends the command. */
  readonly consume?: (chunk: Buffer) => 'more' | 'enough'
  /** The command's standard input; empty by default. */
  readonly input?: Uint8Array
  /** Exit codes that aren't failures. Default: 0. */
  readonly successCodes?: readonly number[]
  readonly signal?: AbortSignal
}

interface GitOutcome {
  readonly code: number
  /** Empty if `consume` received the output. */
  readonly stdout: Buffer
  /** The command was ended before its output was complete. */
  readonly cut: boolean
}

/** Keeps settings of repositories and machines from running programs or changing results. */
const isolatedSettings: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.attributesFile', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.askPass', ''],
  ['core.quotePath', 'true'],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  ['http.followRedirects', 'false'],
  ['http.lowSpeedLimit', '100'],
  ['http.lowSpeedTime', '60'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['advice.detachedHead', 'false'],
  // Fetched commits survive a loss of power: their one pack is on the disk before a ref names them.
  ['fetch.unpackLimit', '1'],
  ['core.fsync', 'committed,reference'],
  // Larger files are streamed and count as binary: a text diff takes several times their size.
  ['core.bigFileThreshold', '8m'],
  ['pack.threads', '1'],
]

/** Starts git. Throws `GitError` if that fails. */
export async function startGit(runtime: GitRuntime, command: GitCommand): Promise<RunningProgram> {
  const { gitDirectory, workTree } = command
  const repository = gitDirectory === undefined ? [] : [`--git-dir=${gitDirectory}`]
  const files = workTree === undefined ? [] : [`--work-tree=${workTree}`]
  const spawn = runtime.spawn ?? spawnProgram
  try {
    return await spawn({
      program: 'git',
      args: ['--no-pager', ...repository, ...files, ...command.args],
      env: buildEnvironment(runtime, command),
    })
  } catch (error) {
    throw toStartError(error)
  }
}

function toStartError(error: unknown): GitError {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT')
    return new GitError("git isn't installed or not on the PATH.", { cause: error })
  // Only errors of the operating system have a code; without one the starter process died.
  const reason = code ?? 'its starter was lost'
  return new GitError(`git could not be started (${reason}).`, {
    cause: error,
    retryable: code === undefined,
  })
}

function buildEnvironment(runtime: GitRuntime, command: GitCommand): Record<string, string> {
  const settings = [...isolatedSettings, ...(command.settings ?? [])]
  const variables: Record<string, string> = {
    ...runtime.variables,
    PATH: runtime.path,
    // This home can contain no configuration, no .netrc and no credentials.
    HOME: '/dev/null',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: command.pathGlobs ? '0' : '1',
    GIT_DEFAULT_REF_FORMAT: 'files',
    GIT_DEFAULT_HASH: 'sha1',
    // This variable overrides every `protocol.*` setting.
    GIT_ALLOW_PROTOCOL: command.protocols ?? 'none',
    GIT_CONFIG_COUNT: String(settings.length),
  }
  if (command.indexFile !== undefined) variables.GIT_INDEX_FILE = command.indexFile
  for (const [index, [key, value]] of settings.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key
    variables[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return variables
}

/**
 * Runs a git command. Throws `GitError` if it fails or takes too long, and the signal's reason if
 * that is aborted; in both cases its processes have ended by then.
 */
export function runGit(runtime: GitRuntime, run: GitRun): Promise<GitOutcome> {
  const access = isOnline(run) ? 'network' : 'local'
  return timed(
    (outcome, seconds) => runtime.metrics?.git.observe({ access, outcome }, seconds),
    () => runToEnd(runtime, run),
  )
}

async function runToEnd(runtime: GitRuntime, run: GitRun): Promise<GitOutcome> {
  run.signal?.throwIfAborted()
  const git = await startGit(runtime, run)
  const output = new OutputCollector(git, run)
  let isLate = false
  const deadline = setTimeout(() => {
    isLate = true
    git.kill()
  }, run.timeoutMs)
  run.signal?.addEventListener('abort', git.kill, { once: true })
  if (run.signal?.aborted) git.kill()
  try {
    git.stdin.end(run.input)
    const code = await git.closed
    run.signal?.throwIfAborted()
    if (isLate) throw toTimeoutError(run)
    return toOutcome(run, code, output)
  } finally {
    clearTimeout(deadline)
    run.signal?.removeEventListener('abort', git.kill)
  }
}

function toOutcome(run: GitRun, code: number | null, output: OutputCollector): GitOutcome {
  const successCodes = run.successCodes ?? [0]
  const isSuccess = code !== null && successCodes.includes(code)
  // A command that was killed because its output sufficed has no exit code of its own.
  if (!isSuccess && !output.isCut) throw toGitError(run, code, output.stderr)
  return { code: code ?? 0, stdout: Buffer.concat(output.chunks), cut: output.isCut }
}

/** Collects the output of a command, or passes it to `consume`, and kills git at the limit. */
class OutputCollector {
  readonly chunks: Buffer[] = []
  isCut = false
  stderr = ''
  readonly #git: RunningProgram
  readonly #run: GitRun
  #length = 0

  constructor(git: RunningProgram, run: GitRun) {
    this.#git = git
    this.#run = run
    git.stdout.on('data', (chunk: Buffer) => this.#take(chunk))
    git.stderr.on('data', (chunk: Buffer) => {
      if (this.stderr.length < 10_000) this.stderr += chunk.toString('latin1')
    })
  }

  #take(chunk: Buffer): void {
    if (this.isCut) return
    const { consume, maxBytes = Number.POSITIVE_INFINITY } = this.#run
    if (consume !== undefined) {
      if (consume(chunk) === 'enough') this.#cut()
      return
    }
    const bytesLeft = maxBytes - this.#length
    this.#length += chunk.length
    this.chunks.push(chunk.length > bytesLeft ? chunk.subarray(0, bytesLeft) : chunk)
    if (chunk.length > bytesLeft) this.#cut()
  }

  #cut(): void {
    this.isCut = true
    this.#git.kill()
  }
}

function toTimeoutError(run: GitRun): GitError {
  const seconds = run.timeoutMs / 1000
  return new GitError(`git ${run.args[0]} took longer than ${seconds} s.`, { retryable: true })
}

/** Messages of failures that a repeated request would not change. */
const permanentFailure = longPattern('i')`
  returned error: (30\d|40[0134]|410|451)
  |Authentication failed
  |could not read Username
  |not our ref
  |remote ref
  |not allowed
  |not found`

function toGitError(run: GitRun, code: number | null, stderr: string): GitError {
  const lastError = stderr.split('\n').findLast((line) => /^(fatal|error): /.test(line))
  const text = lastError ?? `exit code ${code ?? 'unknown'}`
  const message = redactSettings(text, run.settings ?? [])
    .replace(run.gitDirectory ?? '\0', 'the repository')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 300)
  // Without an exit code git was ended by a signal that wasn't ours, so its request is undecided.
  const retryable = code === null || (isOnline(run) && !permanentFailure.test(stderr))
  return new GitError(`git ${run.args[0]} failed: ${message}`, { retryable })
}

/** Redacts the values of settings, and their last words, which may be tokens. */
function redactSettings(text: string, settings: NonNullable<GitCommand['settings']>): string {
  let redacted = text
  for (const [, value] of settings) {
    const lastWord = value.slice(value.lastIndexOf(' ') + 1)
    for (const secret of [value, lastWord]) {
      if (secret.length > 5) redacted = redacted.replaceAll(secret, '…')
    }
  }
  return redacted
}

function isOnline({ protocols = 'none' }: GitCommand): boolean {
  return protocols !== 'none'
}
