// Waiting for the forge's state to become what a test expects, without polling.
import type { ForgeState } from './state.ts'

export interface WaitOptions {
  /** When to give up with an error; 30 s by default. */
  readonly timeoutMs?: number
  /** What was waited for, for that error. */
  readonly description?: string
}

/**
 * Resolves with the first value that isn't undefined, null or false. `read` is asked now and after each change of the
 * state, until the time is up or the forge stops; what it throws is thrown here.
 */
export function waitUntil<T>(
  state: ForgeState,
  read: () => T | undefined | null | false,
  options: WaitOptions = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer)
      state.changes.off('change', look)
      state.stop.signal.removeEventListener('abort', giveUp)
      settle()
    }
    const what = options.description ?? 'the expected state'
    const giveUp = () =>
      finish(() =>
        reject(new Error(`The forge didn't see ${what}.${describeRecentTraffic(state)}`)),
      )
    const look = () => {
      try {
        const value = read()
        if (value !== undefined && value !== null && value !== false) finish(() => resolve(value))
      } catch (error) {
        finish(() => reject(error as Error))
      }
    }
    const timer = setTimeout(giveUp, options.timeoutMs ?? 30_000)
    state.changes.on('change', look)
    state.stop.signal.addEventListener('abort', giveUp)
    if (state.stop.signal.aborted) giveUp()
    else look()
  })
}

/** The newest requests and deliveries, which tell why a wait went wrong. */
function describeRecentTraffic(state: ForgeState): string {
  const requests = state.requests
    .slice(-8)
    .map((one) => `${one.method} ${one.path} ${one.status ?? 'unanswered'}`)
  const deliveries = state.deliveries
    .slice(-4)
    .map(
      (one) =>
        `${one.event}.${one.action} ${one.status ?? 'unanswered'} ${one.attempts.at(-1)?.error ?? ''}`,
    )
  return ` Last requests: ${requests.join('; ') || 'none'}. Last deliveries: ${deliveries.join('; ') || 'none'}.`
}
