// Interrupts long computations, so that they don't block the event loop.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

const maxBlockingMs = 15

/** Makes an object whose `pass` yields to the event loop when it was blocked for about 15 ms. */
export function createYielder(signal: AbortSignal): { pass(): Promise<void> | undefined } {
  let startedAt = performance.now()
  const pause = async () => {
    await yieldToEventLoop()
    signal.throwIfAborted()
    startedAt = performance.now()
  }
  return { pass: () => (performance.now() - startedAt < maxBlockingMs ? undefined : pause()) }
}
