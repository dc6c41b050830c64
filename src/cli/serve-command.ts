// `umpire serve`: runs the receiver and the worker until SIGTERM or SIGINT.
import { startApp } from '../app.ts'
import { readServiceEnvironment } from '../config/environment.ts'
import { readConfig } from '../config/read-config.ts'

/** A start that hangs in something (a disk, a lock of the database) is broken off so long after the signal to stop. */
const startAbortGraceMs = 10_000

/** What a process of the service is to be. */
export interface ServeOptions {
  readonly web: boolean
  readonly worker: boolean
  /** Undefined: `.env` in the working directory, if there is one. */
  readonly envFile: string | undefined
}

/** Resolves after a graceful stop. Throws when it can't go on: whoever supervises it starts it again. */
export async function serve({ envFile, ...parts }: ServeOptions): Promise<void> {
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) stopOnSignal(signal, stop)
  await using app = await abortSlowStart(
    startApp(readConfig(readServiceEnvironment(envFile)), parts),
    stop.signal,
  )
  if (!stop.signal.aborted) {
    const stopped = new Promise<null>((resolve) => {
      stop.signal.addEventListener('abort', () => resolve(null), { once: true })
    })
    const fault = await Promise.race([stopped, app.broken])
    if (fault) throw fault
  }
}

/** Ends the process where a start goes on for long after the signal. That loses nothing: it may be killed at any time. */
async function abortSlowStart<T>(start: Promise<T>, signal: AbortSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const losePatience = () => {
    timer = setTimeout(() => {
      process.removeAllListeners('SIGTERM')
      process.kill(process.pid, 'SIGTERM')
    }, startAbortGraceMs)
  }
  if (signal.aborted) losePatience()
  signal.addEventListener('abort', losePatience, { once: true })
  try {
    return await start
  } finally {
    signal.removeEventListener('abort', losePatience)
    clearTimeout(timer)
  }
}

/** The first one stops gracefully, a later one ends at once: not the echo of one that also went to the whole group. */
function stopOnSignal(signal: NodeJS.Signals, stop: AbortController): void {
  let firstAt: number | null = null
  process.on(signal, () => {
    if (firstAt === null) stop.abort()
    else if (performance.now() - firstAt > 1000) process.kill(process.pid, 'SIGKILL')
    firstAt ??= performance.now()
  })
}
