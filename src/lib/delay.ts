// Waits for a time.
import { setTimeout } from 'node:timers/promises'

/** Waits until the time is over. @throws the signal's reason when it aborts earlier */
export async function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
