// What the parts of a shown diff share: types only.
import type { Finding } from '../review-queries.ts'

export type DiffViewType = 'unified' | 'split'

/** A finding with its place in the review's list. */
export interface IndexedFinding {
  readonly finding: Finding
  readonly index: number
}
