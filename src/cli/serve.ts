// `umpire serve`: runs the receiver and the worker until SIGTERM or SIGINT.
import { startApp } from '../app.ts'
import { readConfig } from '../config/env.ts'

/** Resolves after a graceful stop. Throws when it can't go on: whoever supervises it starts it again. */
export async function serve(parts: { web: boolean; worker: boolean }): Promise<void> {
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      stop.abort()
      // A second one ends at once, as the system would without us.
      process.once(signal, () => process.kill(process.pid, 'SIGKILL'))
    })
  }
  await using app = await startApp(readConfig(), parts)
  if (!stop.signal.aborted) {
    const stopped = new Promise<null>((resolve) => {
      stop.signal.addEventListener('abort', () => resolve(null), { once: true })
    })
    const fault = await Promise.race([stopped, app.broken])
    if (fault) throw fault
  }
}
