// One process of the service that can be killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url))
/** Longer than the grace period of a stopping service. */
const stopTimeoutMs = 30_000

export interface ServiceProcess {
  readonly isAlive: boolean
  /** The reviews that started and didn't end, according to its log. */
  readonly running: ReadonlySet<number>
  /** The newest lines of its log. */
  readonly log: readonly string[]
  readonly isReady: boolean
  /** Resolves when it is ready; rejects if it ended before. */
  ready(): Promise<void>
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>
  /** Sends SIGTERM. Rejects if the process doesn't end in time with exit code 0. */
  stop(): Promise<void>
}

/** Starts `umpire serve` with further arguments in `directory`, which has no `.env` file. */
export function startServiceProcess(options: {
  args: readonly string[]
  environment: Record<string, string>
  directory: string
}): ServiceProcess {
  const child = spawn(process.execPath, [cli, 'serve', ...options.args], {
    env: options.environment,
    cwd: options.directory,
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const log: string[] = []
  const running = new Set<number>()
  let isReady = false
  const ready = Promise.withResolvers<void>()
  ready.promise.catch(() => {})
  const exited = once(child, 'exit')
  const readyMessage = options.args.includes('--no-worker')
    ? 'Umpire listens'
    : 'The worker is ready'
  createInterface({ input: child.stderr! }).on('line', (line) => {
    log.push(line)
    if (log.length > 400) log.shift()
    const entry = readEntry(line)
    if (entry.msg === readyMessage) {
      isReady = true
      ready.resolve()
    }
    if (entry.run === undefined) return
    if (entry.msg === 'The review begins') running.add(entry.run)
    else if (/^The review (is done|failed|was)/.test(entry.msg ?? '')) running.delete(entry.run)
  })
  exited.then(() =>
    ready.reject(new Error(`A process of the service ended while it started.\n${log.join('\n')}`)),
  )
  return {
    log,
    running,
    get isAlive() {
      return isAlive(child)
    },
    get isReady() {
      return isReady
    },
    ready: () => ready.promise,
    async kill() {
      child.kill('SIGKILL')
      await exited
      running.clear()
    },
    async stop() {
      if (!isAlive(child))
        throw new Error(`A process of the service had ended by itself.\n${log.join('\n')}`)
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
      const [code, signal] = (await exited) as [number | null, string | null]
      clearTimeout(timer)
      if (code !== 0)
        throw new Error(
          `A process of the service stopped with ${code ?? signal}.\n${log.join('\n')}`,
        )
    },
  }
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}

function readEntry(line: string): { msg?: string; run?: number } {
  try {
    return JSON.parse(line) as { msg?: string; run?: number }
  } catch {
    return {}
  }
}
