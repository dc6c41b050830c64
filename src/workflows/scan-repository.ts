// Scans a repository: access → head of the default branch → fetch → files → facts → edges → graph → memory.
import type { AppContext } from '../context.ts'
import type { ClaimedScan } from '../jobs/scans.ts'
import type { FactReader } from '../workspace/fact-reader.ts'

/** One claimed scan, and what it may use. */
export interface ScanTask {
  readonly scan: ClaimedScan
  readonly reader: FactReader
  /** Fires when the scan is to be broken off; its reason says why. */
  readonly signal: AbortSignal
}

/** Runs one claimed scan to its end. Throws what stopped it; LeaseLostError means that another worker goes on. */
export async function scanRepository(_ctx: AppContext, _task: ScanTask): Promise<void> {}
