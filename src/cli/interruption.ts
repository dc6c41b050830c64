// Turns signals of the process into an abort signal, so that `review` and `doctor` can clean up
// before they exit.
import { constants } from 'node:os'
import { exitCode } from './exit-codes.ts'

export interface Interruption extends Disposable {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal
  /** Returns 128 plus the number of the signal that was caught. */
  exitCode(): number
}

const signalNames = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Listens until it is disposed. The first signal removes the listeners, so a second one ends the
 * process at once, as Node does by default.
 */
export function listenForSignals(): Interruption {
  const controller = new AbortController()
  let caught: (typeof signalNames)[number] = 'SIGINT'
  const stop = (name: (typeof signalNames)[number]) => {
    caught = name
    dispose()
    controller.abort(new Error(`Interrupted by ${name}`))
  }
  const dispose = () => {
    for (const name of signalNames) process.off(name, stop)
  }
  for (const name of signalNames) process.on(name, stop)
  return {
    signal: controller.signal,
    exitCode: () => exitCode.signal + constants.signals[caught],
    [Symbol.dispose]: dispose,
  }
}
