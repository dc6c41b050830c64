// Runs Umpire in a measured process: ends of reviews, CPU and memory from /proc.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { OpenPullRequest } from './overhead-forge.ts'
import {
  listDescendants,
  readCpuTime,
  readDescendantsCpuTime,
  readFileOrEmpty,
} from './processes.ts'

/** CPU time since the start of the process, in milliseconds. */
export interface CpuTime {
  /** All threads of the process, in microsecond precision. */
  readonly own: number
  /** All descendants, see `readDescendantsCpuTime`. */
  readonly children: number
}

/** Memory, in bytes. */
export interface MemoryUsage {
  readonly now: number
  /** Peak of the process so far. */
  readonly peak: number
  /** Running children, with shared memory counted once. */
  readonly children: { readonly count: number; readonly bytes: number }
}

export interface BenchProcess extends AsyncDisposable {
  readonly url: string
  /** Resolves with the time when the review was posted and stored. */
  waitForReview(pull: OpenPullRequest, withinMs: number, signal: AbortSignal): Promise<number>
  /** Warnings and errors in the log. */
  readonly problems: readonly string[]
  readCpu(): CpuTime
  readMemory(): MemoryUsage
}

const command = fileURLToPath(new URL('../src/cli/cli.ts', import.meta.url))

/**
 * Starts `umpire serve` with a new data folder. Resolves when it is ready.
 *
 * @param profiles folder for a CPU profile of each thread
 */
export async function startBenchProcess(
  environment: Readonly<Record<string, string>>,
  profiles?: string,
): Promise<BenchProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'umpire-bench-data-'))
  const flags = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]
  const child = spawn(process.execPath, [...flags, command, 'serve'], {
    // A folder without an .env file.
    cwd: dataDir,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: dataDir,
      REVIEW_CONCURRENCY: '1000',
      SHUTDOWN_GRACE_SECONDS: '0',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    // Ctrl-C must reach only the benchmark, which then stops the process.
    detached: true,
  })
  const exited = once(child, 'exit')
  const log = followLog(createInterface({ input: child.stderr }))
  const started = Promise.all([log.listens, log.works])
  const failed = exited.then((): never => {
    throw new Error(`Umpire exited unexpectedly:\n${log.newest.join('\n')}`)
  })
  failed.catch(() => {})
  const end = async () => {
    const kill = setTimeout(() => child.kill('SIGKILL'), 15_000)
    child.kill('SIGTERM')
    await exited
    clearTimeout(kill)
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
  }
  try {
    const [url] = await Promise.race([started, failed])
    const pid = child.pid!
    return {
      url,
      problems: log.complaints,
      waitForReview: (pull, withinMs, signal) =>
        Promise.race([log.reviewed(pull, withinMs, signal), failed]),
      readCpu: () => ({ own: readCpuTime(pid), children: readDescendantsCpuTime(pid) }),
      readMemory: () => readMemory(pid),
      [Symbol.asyncDispose]: end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

type LogEntry = Partial<{
  level: number
  msg: string
  err: { message: string }
  url: string
  repo: string
  pull_request: number
}>

function followLog(lines: NodeJS.EventEmitter) {
  const listens = Promise.withResolvers<string>()
  const works = Promise.withResolvers<void>()
  const reviews = new Map<string, PromiseWithResolvers<number>>()
  const newest: string[] = []
  const complaints: string[] = []
  const reviewOf = (key: string) => {
    const review = reviews.get(key) ?? Promise.withResolvers<number>()
    reviews.set(key, review)
    return review
  }
  lines.on('line', (line: string) => {
    newest.push(line)
    if (newest.length > 30) newest.shift()
    const entry = (line.startsWith('{') ? JSON.parse(line) : { msg: line }) as LogEntry
    if (entry.msg === 'Umpire listens') listens.resolve(entry.url!)
    if (entry.msg === 'The worker is ready') works.resolve()
    if (entry.msg === 'The review is done')
      reviewOf(`${entry.repo}#${entry.pull_request}`).resolve(performance.now())
    if ((entry.level ?? 0) >= 40) complaints.push(`${entry.msg}: ${entry.err?.message ?? ''}`)
  })
  return {
    listens: listens.promise,
    works: works.promise,
    newest,
    complaints,
    async reviewed(
      { repo, number }: OpenPullRequest,
      withinMs: number,
      signal: AbortSignal,
    ): Promise<number> {
      const review = reviewOf(`${repo}#${number}`)
      const late = () =>
        review.reject(
          new Error(`${repo}#${number} was not reviewed in time. Log:\n${newest.join('\n')}`),
        )
      const breakOff = () => review.reject(signal.reason)
      const timer = setTimeout(late, withinMs)
      signal.addEventListener('abort', breakOff)
      try {
        return await review.promise
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', breakOff)
      }
    },
  }
}

function readMemory(pid: number): MemoryUsage {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const children = listDescendants(pid)
  const shares = children.map((child) =>
    readSizeBytes(readFileOrEmpty(`/proc/${child}/smaps_rollup`), 'Pss'),
  )
  return {
    now: readSizeBytes(status, 'VmRSS'),
    peak: readSizeBytes(status, 'VmHWM'),
    children: { count: children.length, bytes: shares.reduce((sum, bytes) => sum + bytes, 0) },
  }
}

function readSizeBytes(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024
}
