// Lets long work of one thread pause, so that what else the process does goes on.
import { setImmediate as letOthersRun } from 'node:timers/promises'

/** How long others wait for their turn, about. */
const maxBlockingMs = 15

/** Lets what else this process does go on, every so often. */
export function createYielder(signal: AbortSignal): { pass(): Promise<void> | undefined } {
  let began = performance.now()
  const rest = async () => {
    await letOthersRun()
    signal.throwIfAborted()
    began = performance.now()
  }
  return { pass: () => (performance.now() - began < maxBlockingMs ? undefined : rest()) }
}
