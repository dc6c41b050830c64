// Types that the steps of a scan share.

import type { AppContext } from '../../context.ts'
import type { RepositorySettings } from '../../domain/repository-settings.ts'
import type { SyncRequest } from '../../knowledge/graph/sync-graph.ts'
import type { ClaimedScan } from '../../work/scans.ts'
import type { Progress } from './progress.ts'

export interface ScanTask {
  readonly scan: ClaimedScan
  /** It is aborted to interrupt the scan, with the reason. */
  readonly signal: AbortSignal
}

/** A scan whose commit was fetched: `snapshot` has the files at the head of the default branch. */
export interface Scan extends ScanTask, Pick<SyncRequest, 'repository' | 'snapshot'> {
  readonly ctx: AppContext
  readonly progress: Progress
  /** They apply to the default branch. */
  readonly settings: RepositorySettings
}
