// Types of the diff view.
import type { Finding } from '../review-queries.ts'

export type DiffViewType = 'unified' | 'split'

/** A finding with its index in the review. */
export interface IndexedFinding {
  readonly finding: Finding
  readonly index: number
}
