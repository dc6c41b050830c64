// Waits for an expected state of the forge without polling.
import type { ForgeState } from './state.ts'

export interface WaitOptions {
  /** The timeout; 30 s by default. */
  readonly timeoutMs?: number
  /** What was waited for, used in the error. */
  readonly description?: string
}

/**
 * Resolves with the first value that isn't undefined, null or false. `read` is called now and after
 * each change of the state, until the timeout or until the forge stops. Its errors are rethrown.
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

/** Lists the newest requests and deliveries for the error of a failed wait. */
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
