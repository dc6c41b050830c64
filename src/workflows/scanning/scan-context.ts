// Types that the steps of a scan share.

import type { FileIndexer } from '../../code/file-indexer.ts'
import type { AppContext } from '../../context.ts'
import type { BareRepository } from '../../git/list-tree.ts'
import type { ObjectReader } from '../../git/object-reader.ts'
import type { Snapshot } from '../../git/snapshot.ts'
import type { ClaimedScan } from '../../jobs/scans.ts'
import type { Progress } from './progress.ts'

export interface ScanTask {
  readonly scan: ClaimedScan
  readonly indexer: FileIndexer
  /** It is aborted to interrupt the scan, with the reason. */
  readonly signal: AbortSignal
}

/** A scan whose commit was fetched. */
export interface Scan extends ScanTask {
  readonly ctx: AppContext
  readonly progress: Progress
  readonly repository: BareRepository
  /** Reads single objects of the repository through a running git. */
  readonly objects: ObjectReader
  /** The scanned head of the default branch. */
  readonly commit: string
  readonly snapshot: Snapshot
}
