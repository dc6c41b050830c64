// Tells how far a scan is, not more often than people can read, and how long its steps took.
import type { Db } from '../../db/database.ts'
import { LeaseLostError } from '../../domain/errors.ts'
import { type ClaimedScan, saveScanProgress } from '../../jobs/scans.ts'
import { startStopwatch } from '../../lib/stopwatch.ts'

const reportIntervalMs = 1000

export interface Progress {
  /** Milliseconds by step. */
  readonly timings: Readonly<Record<string, number>>
  /** Ends a step, under the name that its time is kept by. */
  lap(name: string): void
  /** Says what is being done now. Nobody waits for it to be written down. */
  report(step: string, done: number, total: number): void
  /** Resolves when all that was told is written down. */
  settled(): Promise<void>
}

/** Starts the clock. A scan that takes no second tells nothing. */
export function createProgress(
  db: Db,
  scan: ClaimedScan,
  onFault: (error: unknown) => void,
): Progress {
  const stopwatch = startStopwatch()
  let toldAt = performance.now()
  let telling: Promise<void> | null = null
  return {
    timings: stopwatch.laps,
    lap: (name) => stopwatch.lap(name),
    report(step, done, total) {
      const now = performance.now()
      if (telling !== null || now - toldAt < reportIntervalMs) return
      toldAt = now
      telling = saveScanProgress(db, scan, { step, done, total })
        // Who keeps the lease says so too.
        .catch((error) => error instanceof LeaseLostError || onFault(error))
        .then(() => {
          telling = null
        })
    },
    async settled() {
      await telling
    },
  }
}
