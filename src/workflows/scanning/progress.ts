// Reports the progress of a scan at most once per second, and measures its steps.
import type { Db } from '../../db/database.ts'
import { LeaseLostError } from '../../domain/errors.ts'
import type { SyncProgress } from '../../knowledge/graph/sync-graph.ts'
import { startStopwatch } from '../../lib/stopwatch.ts'
import { type ClaimedScan, saveScanProgress } from '../../work/scans.ts'

const reportIntervalMs = 1000

export interface Progress extends SyncProgress {
  /** Each step has its duration in milliseconds. */
  readonly timings: Readonly<Record<string, number>>
  /** Resolves when all reports are saved. */
  settled(): Promise<void>
}

/** Starts measuring. A scan shorter than a second reports nothing. */
export function createProgress(
  db: Db,
  scan: ClaimedScan,
  onError: (error: unknown) => void,
): Progress {
  const stopwatch = startStopwatch()
  let reportedAt = performance.now()
  let saving: Promise<void> | null = null
  return {
    timings: stopwatch.laps,
    lap: (name) => stopwatch.lap(name),
    report(step, done, total) {
      const now = performance.now()
      if (saving !== null || now - reportedAt < reportIntervalMs) return
      reportedAt = now
      saving = saveScanProgress(db, scan, { step, done, total })
        // The lease's own heartbeat reports its loss too.
        .catch((error) => error instanceof LeaseLostError || onError(error))
        .then(() => {
          saving = null
        })
    },
    async settled() {
      await saving
    },
  }
}
