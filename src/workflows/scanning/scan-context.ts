// What the parts of a scan share: types only.

import type { FileIndexer } from '../../code/file-indexer.ts'
import type { AppContext } from '../../context.ts'
import type { BareRepository } from '../../git/list-tree.ts'
import type { ObjectReader } from '../../git/object-reader.ts'
import type { Snapshot } from '../../git/snapshot.ts'
import type { ClaimedScan } from '../../jobs/scans.ts'
import type { Progress } from './progress.ts'

/** One claimed scan, and what it may use. */
export interface ScanTask {
  readonly scan: ClaimedScan
  readonly indexer: FileIndexer
  /** Fires when the scan is to be broken off; its reason says why. */
  readonly signal: AbortSignal
}

/** A scan whose commit is at hand. */
export interface Scan extends ScanTask {
  readonly ctx: AppContext
  readonly progress: Progress
  readonly repository: BareRepository
  /** Reads objects of the repository one by one, in a git that runs already. */
  readonly objects: ObjectReader
  /** The head of the default branch. */
  readonly commit: string
  readonly snapshot: Snapshot
}
