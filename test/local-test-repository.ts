// A repository with a work tree in a temporary folder, and `umpire review` as a process in it.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileCache } from './compile-cache.ts'

const umpire = fileURLToPath(new URL('../bin/umpire', import.meta.url))

export interface LocalTestRepository extends AsyncDisposable {
  /** Contains the path of the work tree. */
  readonly folder: string
  /** Contains the home directory of commands. It has no settings unless a test writes some. */
  readonly home: string
  git(...args: readonly string[]): Promise<string>
  /** Writes files; null removes one. */
  write(files: Readonly<Record<string, string | Uint8Array | null>>): Promise<void>
  /** Writes files and commits all there is. Returns the commit's id. */
  commit(
    files?: Readonly<Record<string, string | Uint8Array | null>>,
    message?: string,
  ): Promise<string>
  /** Runs `umpire review` to its end. */
  review(args?: readonly string[], options?: ReviewRunOptions): Promise<ReviewResult>
  /** Runs `umpire review` in a terminal and returns its output. */
  reviewOnTerminal(args: readonly string[]): Promise<string>
  startReview(args?: readonly string[], options?: ReviewRunOptions): ChildProcess
}

export interface ReviewRunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Overrides the working directory, which is the work tree by default. */
  readonly cwd?: string
}

export interface ReviewResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Creates an empty repository on a branch `main`. */
export async function makeLocalRepository(
  options: { init?: readonly string[] } = {},
): Promise<LocalTestRepository> {
  const root = await mkdtemp(join(tmpdir(), 'local-repository-'))
  const folder = join(root, 'work')
  const home = join(root, 'home')
  await Promise.all([folder, home].map((path) => mkdir(path)))
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    TMPDIR: root,
  }
  const git = (...args: readonly string[]) => runGit(folder, environment, args)
  await git('init', '--quiet', '--initial-branch=main', ...(options.init ?? []))
  const write = async (files: Readonly<Record<string, string | Uint8Array | null>>) => {
    for (const [path, content] of Object.entries(files)) {
      const file = join(folder, path)
      if (content === null) await rm(file)
      else {
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, content)
      }
    }
  }
  const startReview = (args: readonly string[] = [], { env, cwd }: ReviewRunOptions = {}) =>
    spawn(umpire, ['review', ...args], {
      cwd: cwd ?? folder,
      env: { ...environment, NODE_COMPILE_CACHE: compileCache, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  return {
    folder,
    home,
    git,
    write,
    async commit(files = {}, message = 'A commit') {
      await write(files)
      await git('add', '--all')
      await git('commit', '--quiet', '--allow-empty', `--message=${message}`)
      return (await git('rev-parse', 'HEAD')).trim()
    },
    review: (args, run) => waitForExit(startReview(args, run)),
    startReview,
    async reviewOnTerminal(args) {
      const command = [umpire, 'review', ...args].map((word) => `'${word}'`).join(' ')
      const child = spawn('script', ['-qec', command, '/dev/null'], {
        cwd: folder,
        env: { ...environment, NODE_COMPILE_CACHE: compileCache, TERM: 'xterm' },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      return (await waitForExit(child)).stdout
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true, maxRetries: 3 }),
  }
}

export function waitForExit(child: ChildProcess): Promise<ReviewResult> {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

function runGit(
  folder: string,
  environment: Record<string, string>,
  args: readonly string[],
): Promise<string> {
  const people = ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'Ann'],
    [`GIT_${who}_EMAIL`, 'ann@example.org'],
  ])
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, env: { ...environment, ...Object.fromEntries(people) } }
    execFile('git', args as string[], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`git ${args[0]}: ${stderr}`))
    })
  })
}

/** Declares the parts of a `--format json` document that tests read. */
export interface JsonReport {
  readonly compared: {
    readonly kind: string
    readonly description: string
    readonly base: string | null
    readonly head: string | null
    readonly url: string | null
  }
  readonly verdict: string | null
  readonly summary: string
  readonly exit_code: number
  readonly findings: readonly {
    readonly path: string
    readonly rule: string
    readonly severity: string
    readonly start_line: number
    readonly title: string
    readonly fingerprint: string
    readonly held_back: boolean
  }[]
  readonly coverage: {
    readonly complete: boolean
    readonly files_total: number
    readonly files_reviewed: number
    readonly skipped: readonly {
      readonly path: string
      readonly reason: string
      readonly matters: boolean
    }[]
    readonly notes: readonly string[]
  } | null
  readonly usage: { readonly calls: number; readonly cost_usd: number | null } | null
}

/** Runs a review with JSON output and parses it. */
export async function reviewAsJson(
  repository: LocalTestRepository,
  args: readonly string[] = [],
  run?: ReviewRunOptions,
): Promise<JsonReport> {
  const { stdout, stderr } = await repository.review([...args, '--format', 'json'], run)
  if (stdout === '') throw new Error(`No report: ${stderr}`)
  return JSON.parse(stdout) as JsonReport
}

export function findingLocations({ findings }: JsonReport): string[] {
  return findings.map(({ path, start_line, rule }) => `${path}:${start_line} ${rule}`).sort()
}

/** Each text has one finding that needs no parser: one minor, one critical. */
export const debuggerCode = 'debugger\n'
export const conflictMarkerCode = '<<<<<<< HEAD\n'

/** It has a moderate finding on its second-to-last line, which needs a parser. */
export const floatingPromiseCode = `async function save(): Promise<void> {}

export async function close(): Promise<void> {
  save()
}
`
