// Runs the git binary: no shell, a closed environment, nothing configured from outside, a deadline, bounded output.
import { GitError } from '../domain/errors.ts'
import { type RunningProgram, type SpawnProgram, spawnProgram } from '../lib/spawn-program.ts'
import { type Metrics, timed } from '../metrics/metrics.ts'

/** What git needs from the machine; everything else in our environment is kept from it. */
export interface GitRuntime {
  /** Folders to find git in, as in the variable PATH. */
  readonly path: string
  /** Certificates and proxies, see `gitRuntimeFrom`. */
  readonly variables: Readonly<Record<string, string>>
  /** By default git is a child of this process. */
  readonly spawn?: SpawnProgram
  readonly metrics?: Pick<Metrics, 'git'>
}

export const defaultGitRuntime: GitRuntime = {
  path: '/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin',
  variables: {},
}

const inheritedVariables =
  'SSL_CERT_FILE SSL_CERT_DIR GIT_SSL_CAINFO GIT_SSL_CAPATH HTTPS_PROXY https_proxy http_proxy ALL_PROXY all_proxy NO_PROXY no_proxy'.split(
    ' ',
  )

/** Takes from an environment what git may see of it. */
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

/** git's protocols; none where a command has no business on the network. */
export type GitProtocols = 'none' | 'https' | 'http:https'

/** How to start a git command. */
export interface GitCommand {
  /** The repository; undefined for commands that need none. */
  readonly gitDirectory?: string
  /** Its work tree, whatever the repository's own settings say; only for commands that look into one. */
  readonly workTree?: string
  /** Another index than the repository's own. */
  readonly indexFile?: string
  /** Command and arguments. What comes from outside stands behind `--end-of-options` or `-e`. */
  readonly args: readonly string[]
  /** Settings that this command needs beside `isolatedSettings`; handed over in the environment, so secrets may be in them. */
  readonly settings?: readonly (readonly [key: string, value: string])[]
  readonly protocols?: GitProtocols
  /** Whether `*` and `[` in the paths of its arguments mean more than themselves. */
  readonly pathGlobs?: boolean
}

/** How to run a git command to its end. */
export interface GitRun extends GitCommand {
  /** Milliseconds after which it is killed. */
  readonly timeoutMs: number
  /** Bytes of output after which it is killed; the outcome then says `cut`. */
  readonly maxBytes?: number
  /** Takes the output as it comes instead of collecting it; `enough` ends the command. */
  readonly consume?: (chunk: Buffer) => 'more' | 'enough'
  /** What the command reads from its standard input; nothing by default. */
  readonly input?: Uint8Array
  /** Exit codes that are answers, not failures. Default: 0. */
  readonly successCodes?: readonly number[]
  readonly signal?: AbortSignal
}

/** What a git command came to. */
export interface GitOutcome {
  readonly code: number
  /** Empty where `consume` took it. */
  readonly stdout: Buffer
  /** The command was ended before its output was complete. */
  readonly cut: boolean
}

/** Nothing that a repository or a machine brings along runs or changes a result. */
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
  // What was fetched survives a loss of power: one file, on the disk before a ref names its commits.
  ['fetch.unpackLimit', '1'],
  ['core.fsync', 'committed,reference'],
  // Larger files are streamed, and binary to a diff: as text they cost several times their size in memory.
  ['core.bigFileThreshold', '8m'],
  ['pack.threads', '1'],
]

/** Starts git. Throws `GitError` where it can't be. */
export async function startGit(host: GitRuntime, command: GitCommand): Promise<RunningProgram> {
  const { gitDirectory, workTree } = command
  const repository = gitDirectory === undefined ? [] : [`--git-dir=${gitDirectory}`]
  const files = workTree === undefined ? [] : [`--work-tree=${workTree}`]
  const args = ['--no-pager', ...repository, ...files, ...command.args]
  try {
    return await (host.spawn ?? spawnProgram)({
      program: 'git',
      args,
      env: gitVariables(host, command),
    })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === undefined ? 'its starter was lost' : code
    const message =
      code === 'ENOENT'
        ? "git isn't installed or not on the PATH."
        : `git could not be started (${why}).`
    throw new GitError(message, { cause: error, retryable: code === undefined })
  }
}

function gitVariables(host: GitRuntime, command: GitCommand): Record<string, string> {
  const settings = [...isolatedSettings, ...(command.settings ?? [])]
  const variables: Record<string, string> = {
    ...host.variables,
    PATH: host.path,
    // A home that can hold no configuration, no .netrc and no credentials.
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
    // Stronger than any `protocol.*` setting.
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
 * Runs a git command. Throws `GitError` when it fails or takes too long, and the signal's reason when that is
 * aborted; either way its processes have ended then.
 */
export function runGit(host: GitRuntime, run: GitRun): Promise<GitOutcome> {
  const access = isOnline(run) ? 'network' : 'local'
  return timed(
    (outcome, seconds) => host.metrics?.git.observe({ access, outcome }, seconds),
    () => runToEnd(host, run),
  )
}

async function runToEnd(host: GitRuntime, run: GitRun): Promise<GitOutcome> {
  run.signal?.throwIfAborted()
  const git = await startGit(host, run)
  const output = collectOutput(git, run)
  let late = false
  const deadline = setTimeout(() => {
    late = true
    git.kill()
  }, run.timeoutMs)
  run.signal?.addEventListener('abort', git.kill, { once: true })
  if (run.signal?.aborted) git.kill()
  try {
    git.stdin.end(run.input)
    const code = await git.closed
    run.signal?.throwIfAborted()
    if (late)
      throw new GitError(`git ${run.args[0]} took longer than ${run.timeoutMs / 1000} s.`, {
        retryable: true,
      })
    if (!output.cut && !(run.successCodes ?? [0]).includes(code ?? -1))
      throw toGitError(run, code, output.stderr())
    return { code: code ?? 0, stdout: Buffer.concat(output.chunks), cut: output.cut }
  } finally {
    clearTimeout(deadline)
    run.signal?.removeEventListener('abort', git.kill)
  }
}

interface CollectedOutput {
  readonly chunks: Buffer[]
  cut: boolean
  stderr(): string
}

function collectOutput(git: RunningProgram, run: GitRun): CollectedOutput {
  const output: CollectedOutput = { chunks: [], cut: false, stderr: () => stderr }
  let stderr = ''
  let length = 0
  const stop = () => {
    output.cut = true
    git.kill()
  }
  git.stdout.on('data', (chunk: Buffer) => {
    if (output.cut) return
    if (run.consume !== undefined) {
      if (run.consume(chunk) === 'enough') stop()
      return
    }
    const room = (run.maxBytes ?? Number.POSITIVE_INFINITY) - length
    length += chunk.length
    output.chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    if (chunk.length > room) stop()
  })
  git.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < 10_000) stderr += chunk.toString('latin1')
  })
  return output
}

/** Answers of a server that won't change by asking again. */
const permanentFailure =
  /returned error: (30\d|40[0134]|410|451)|Authentication failed|could not read Username|not our ref|remote ref|not allowed|not found/i

function toGitError(run: GitRun, code: number | null, stderr: string): GitError {
  const said =
    stderr.split('\n').findLast((line) => /^(fatal|error): /.test(line)) ??
    `exit code ${code ?? 'unknown'}`
  const secrets = (run.settings ?? []).flatMap(([, value]) => [
    value,
    value.slice(value.lastIndexOf(' ') + 1),
  ])
  const shown = secrets
    .filter((secret) => secret.length > 5)
    .reduce((text, secret) => text.replaceAll(secret, '…'), said)
  const message = shown
    .replace(run.gitDirectory ?? '\0', 'the repository')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 300)
  // What a signal ended that wasn't ours has said nothing of what it was asked.
  const retryable = code === null || (isOnline(run) && !permanentFailure.test(stderr))
  return new GitError(`git ${run.args[0]} failed: ${message}`, { retryable })
}

function isOnline({ protocols = 'none' }: GitCommand): boolean {
  return protocols !== 'none'
}
