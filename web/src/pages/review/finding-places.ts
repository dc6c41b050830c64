// Where the findings of a review stand on the page: at a file of the diff, elsewhere, or closed.
import type { DiffFile, Finding, ReviewDiff } from './review-queries.ts'

export interface FindingPlaces {
  /** The files of the diff with their open and dismissed findings, in the order of the diff. */
  readonly files: readonly { readonly file: DiffFile; readonly findings: readonly Finding[] }[]
  /** Findings in files that are not part of the diff, or of a review whose diff is unknown. */
  readonly elsewhere: readonly Finding[]
  /** Their cause is gone. They belong to an earlier commit. */
  readonly resolved: readonly Finding[]
  /** All but the resolved ones, in their order on the page. */
  readonly inOrder: readonly Finding[]
}

/** @param diff undefined while it is loaded, or if it can't be */
export function placeFindings(
  findings: readonly Finding[],
  diff: ReviewDiff | undefined,
): FindingPlaces {
  const resolved = findings.filter(({ state }) => state === 'resolved')
  const others = findings.filter(({ state }) => state !== 'resolved')
  const byPath = Map.groupBy(others, ({ path }) => path)
  const files = (diff?.files ?? []).map((file) => ({
    file,
    findings: (byPath.get(file.path) ?? []).toSorted((one, other) => one.end_line - other.end_line),
  }))
  const paths = new Set(files.map(({ file }) => file.path))
  const elsewhere = others.filter(({ path }) => !paths.has(path))
  const inOrder = [...elsewhere, ...files.flatMap((file) => file.findings)]
  return { files, elsewhere, resolved, inOrder }
}

export function findingElementId({ fingerprint }: Pick<Finding, 'fingerprint'>): string {
  return `finding-${fingerprint}`
}
