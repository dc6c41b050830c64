// How a review stands to those before it: what is new, what went, and what people dismissed. Pure.
import type { Finding } from '../../domain/finding.ts'
import type { Judgement } from '../judge-findings.ts'

/** What the author of a pull request is told of its earlier reviews. */
export interface ReviewHistory {
  /** Nothing was found before. */
  readonly isFirst: boolean
  /** Gone since the last review. */
  readonly resolved: readonly Finding[]
  /** Gone already when the last review was posted. */
  readonly resolvedBefore: readonly Finding[]
  /** Their cause stands, and somebody who may write to the repository dismissed them. */
  readonly dismissed: readonly Finding[]
  /** How many of the open ones are new, came back, or were open before. */
  readonly newCount: number
  readonly reopenedCount: number
  readonly stillOpenCount: number
}

/** Compares what a review came to with the findings of those before it. */
export function compareWithEarlier(
  earlier: readonly Finding[],
  judgement: Pick<Judgement, 'findings' | 'resolved' | 'dismissed'>,
): ReviewHistory {
  const { findings, resolved, dismissed } = judgement
  const before = new Map(earlier.map((finding) => [finding.fingerprint, finding.state]))
  const open = new Set(findings.map((finding) => finding.fingerprint))
  const count = (isMeant: (fingerprint: string) => boolean) => [...open].filter(isMeant).length
  return {
    isFirst: earlier.length === 0,
    resolved,
    resolvedBefore: earlier.filter(
      ({ state, fingerprint }) => state === 'resolved' && !open.has(fingerprint),
    ),
    dismissed,
    newCount: count((fingerprint) => !before.has(fingerprint)),
    reopenedCount: count((fingerprint) => before.get(fingerprint) === 'resolved'),
    stillOpenCount: count((fingerprint) => before.get(fingerprint) === 'open'),
  }
}
