// Runs `umpire serve`: the web server and the worker, until SIGTERM or SIGINT.
import { once } from 'node:events'
import { startApp } from '../app.ts'
import { findServiceEnvFile, readServiceEnvironment } from '../config/environment.ts'
import { readConfig } from '../read-config.ts'
import { hintAtVariables } from './hint-at-variables.ts'

/** A start can hang, for example on a database lock. It is aborted this long after the signal. */
const startAbortGraceMs = 10_000
/** Ctrl+C can deliver a signal twice: from the terminal and from a parent process. */
const repeatedSignalMs = 1000

export interface ServeOptions {
  readonly web: boolean
  readonly worker: boolean
  /** If undefined, `.env` in the working directory is read, if it exists. */
  readonly envFile: string | undefined
}

/** Resolves after a graceful stop. Throws if the service breaks and must be restarted. */
export async function serve({ envFile: named, ...parts }: ServeOptions): Promise<void> {
  const envFile = named ?? findServiceEnvFile()
  if (envFile !== undefined) hintAtVariables(envFile)
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) stopOnSignal(signal, stop)
  const config = await readConfig(readServiceEnvironment(envFile))
  await using app = await abortSlowStart(startApp(config, parts), stop.signal)
  if (!stop.signal.aborted) {
    const error = await Promise.race([once(stop.signal, 'abort'), app.broken])
    if (error instanceof Error) throw error
  }
}

/** Ends the process if the start takes too long after the signal. No data is lost by that. */
async function abortSlowStart<T>(start: Promise<T>, signal: AbortSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const startGracePeriod = () => {
    timer = setTimeout(() => {
      process.removeAllListeners('SIGTERM')
      process.kill(process.pid, 'SIGTERM')
    }, startAbortGraceMs)
  }
  if (signal.aborted) startGracePeriod()
  signal.addEventListener('abort', startGracePeriod, { once: true })
  try {
    return await start
  } finally {
    signal.removeEventListener('abort', startGracePeriod)
    clearTimeout(timer)
  }
}

/** The first signal stops the service gracefully, and a later one ends the process at once. */
function stopOnSignal(signal: NodeJS.Signals, stop: AbortController): void {
  let firstAt: number | null = null
  process.on(signal, () => {
    if (firstAt === null) stop.abort()
    else if (performance.now() - firstAt > repeatedSignalMs) process.kill(process.pid, 'SIGKILL')
    firstAt ??= performance.now()
  })
}
