// Says what was proposed and not raised, and why: decisions of the judge, no limits of the review.
import type { Severity } from '../../domain/finding.ts'
import type { CheckedFinding } from './verify-findings.ts'

/** What the judge decided against. */
export interface RejectedClaims {
  readonly refuted: readonly CheckedFinding[]
  /** Minor claims that the verification could not show to hold. */
  readonly doubtful: number
  /** Claims of which their reviewer was less sure than their severity asks for. */
  readonly tooUnsure: number
  /** Findings below the severity that the repository asks for. */
  readonly belowSeverity: number
}

/** Refuted claims that are told one by one; the others are counted. */
const mostTold = 5

/** One sentence for each kind, for the coverage section; the reasons are a model's words. */
export function describeRejected(
  { refuted, doubtful, tooUnsure, belowSeverity }: RejectedClaims,
  minSeverity: Severity,
): string[] {
  const more = refuted.length - mostTold
  return [
    ...refuted
      .slice(0, mostTold)
      .map(({ finding, reason }) =>
        `Refuted: ${finding.title.slice(0, 150)} (${finding.path}:${finding.startLine}). ${reason}`.trim(),
      ),
    ...(more > 0 ? [`Refuted: ${count(more, 'more claim')}.`] : []),
    ...sentence(doubtful, 'minor claim', 'nothing in the code shows it'),
    ...sentence(tooUnsure, 'claim', 'the reviewer was too unsure'),
    ...sentence(
      belowSeverity,
      'finding',
      `the repository's settings ask for ${minSeverity} ones and worse`,
    ),
  ]
}

function sentence(number: number, what: string, why: string): string[] {
  return number === 0 ? [] : [`Not raised: ${count(number, what)}, for ${why}.`]
}

function count(number: number, what: string): string {
  return number === 1 ? `1 ${what}` : `${number} ${what}s`
}
