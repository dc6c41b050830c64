// Names the ends of a review for people.
import type { ReviewEnd } from '../domain/review.ts'

export const reviewEndNames: Readonly<Record<ReviewEnd, string>> = {
  skipped: 'Skipped',
  changes_requested: 'Changes requested',
  incomplete: 'Incomplete',
  needs_person: 'Needs a person',
  passed: 'Passed',
}
