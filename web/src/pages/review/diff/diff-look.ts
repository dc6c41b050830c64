// What the parts of a shown diff share: types only.
import type { Finding } from '../queries.ts'

export type DiffLook = 'unified' | 'split'

/** A finding with its place in the review's list. */
export interface NumberedFinding {
  readonly finding: Finding
  readonly index: number
}
