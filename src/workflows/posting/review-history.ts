// Compares the findings of a review with those of earlier reviews of the same pull request.
import type { Finding } from '../../domain/finding.ts'
import type { Judgment } from '../judge-findings.ts'

export interface ReviewHistory {
  /** No earlier review found anything. */
  readonly isFirst: boolean
  /** Findings that were open in the last review. */
  readonly resolved: readonly Finding[]
  /** Findings that were already resolved when the last review was posted. */
  readonly resolvedBefore: readonly Finding[]
  readonly dismissed: readonly Finding[]
  /** The next three counts add up to the open findings. */
  readonly newCount: number
  readonly reopenedCount: number
  readonly stillOpenCount: number
}

export function compareWithEarlier(
  earlier: readonly Finding[],
  judgment: Pick<Judgment, 'findings' | 'resolved' | 'dismissed'>,
): ReviewHistory {
  const { findings, resolved, dismissed } = judgment
  const earlierState = new Map(earlier.map((finding) => [finding.fingerprint, finding.state]))
  const open = new Set(findings.map((finding) => finding.fingerprint))
  const countOpen = (matches: (fingerprint: string) => boolean) => [...open].filter(matches).length
  return {
    isFirst: earlier.length === 0,
    resolved,
    resolvedBefore: earlier.filter(
      ({ state, fingerprint }) => state === 'resolved' && !open.has(fingerprint),
    ),
    dismissed,
    newCount: countOpen((fingerprint) => !earlierState.has(fingerprint)),
    reopenedCount: countOpen((fingerprint) => earlierState.get(fingerprint) === 'resolved'),
    stillOpenCount: countOpen((fingerprint) => earlierState.get(fingerprint) === 'open'),
  }
}
