// Where the findings of a review stand on the page: at a file of the diff, elsewhere, or closed.
import type { ReviewDetail } from '../../api/shared-queries.ts'
import type { DiffFile, Finding, ReviewDiff } from './review-queries.ts'

export interface FindingPlaces {
  /** The files of the diff with their open and dismissed findings, in the order of the diff. */
  readonly files: readonly { readonly file: DiffFile; readonly findings: readonly Finding[] }[]
  /**
   * Findings in files that are not part of the diff, whose code was removed, or of a review whose
   * diff is unknown.
   */
  readonly elsewhere: readonly Finding[]
  /** Their cause is gone. They belong to an earlier commit. */
  readonly resolved: readonly Finding[]
  /** All but the resolved ones, in their order on the page. */
  readonly inOrder: readonly Finding[]
}

type PlacingReview = Pick<ReviewDetail, 'id' | 'head_sha' | 'history' | 'findings'>

/** Its line has other code now. The commit of the review that reported it first still has it. */
function isRemoved(
  { id, head_sha: head, history }: PlacingReview,
  { removed, first_review_id: first }: Finding,
): boolean {
  if (!removed || first === id) return false
  return history.find(({ event_id: entry }) => entry === first)?.head_sha !== head
}

/** @param diff undefined while it is loaded, or if it can't be */
export function placeFindings(review: PlacingReview, diff: ReviewDiff | undefined): FindingPlaces {
  const { findings } = review
  const resolved = findings.filter(({ state }) => state === 'resolved')
  const others = findings.filter(({ state }) => state !== 'resolved')
  const present = others.filter((finding) => !isRemoved(review, finding))
  const byPath = Map.groupBy(present, ({ path }) => path)
  const files = (diff?.files ?? []).map((file) => ({
    file,
    findings: (byPath.get(file.path) ?? []).toSorted((one, other) => one.end_line - other.end_line),
  }))
  const placed = new Set(files.flatMap((file) => file.findings))
  const elsewhere = others.filter((finding) => !placed.has(finding))
  const inOrder = [...elsewhere, ...files.flatMap((file) => file.findings)]
  return { files, elsewhere, resolved, inOrder }
}

/** Returns text such as `2 open, 1 dismissed`. */
export function describeStates(findings: readonly Finding[]): string {
  const count = (state: Finding['state']) =>
    findings.filter((finding) => finding.state === state).length
  const [dismissed, resolved] = [count('dismissed'), count('resolved')]
  return [
    `${count('open')} open`,
    ...(dismissed > 0 ? [`${dismissed} dismissed`] : []),
    ...(resolved > 0 ? [`${resolved} fixed`] : []),
  ].join(', ')
}

export function findingElementId({ fingerprint }: Pick<Finding, 'fingerprint'>): string {
  return `finding-${fingerprint}`
}
