// Describes which claims the judge rejected and why, for the coverage section.
import type { Severity } from '../../domain/finding.ts'
import type { CheckedFinding } from './verify-findings.ts'

export interface RejectedClaims {
  readonly refuted: readonly CheckedFinding[]
  /** Counts minor claims that the verifier could not confirm. */
  readonly doubtful: number
  /** Counts claims below the minimum confidence for their severity. */
  readonly tooUnsure: number
  /** Counts findings below the minimum severity of the repository's settings. */
  readonly belowSeverity: number
}

/** This many refuted claims are described; the others are counted. */
const maxDescribed = 5

/** Returns one sentence per claim or reason. The reasons of refuted claims are a model's text. */
export function describeRejected(
  { refuted, doubtful, tooUnsure, belowSeverity }: RejectedClaims,
  minSeverity: Severity,
): string[] {
  const more = refuted.length - maxDescribed
  const severityReason = `the repository's settings ask for ${minSeverity} ones and worse`
  return [
    ...refuted.slice(0, maxDescribed).map(describeRefuted),
    ...(more > 0 ? [`Refuted: ${formatCount(more, 'more claim')}.`] : []),
    ...describeCount(doubtful, 'minor claim', 'nothing in the code shows it'),
    ...describeCount(tooUnsure, 'claim', 'the reviewer was too unsure'),
    ...describeCount(belowSeverity, 'finding', severityReason),
  ]
}

function describeRefuted({ finding, reason }: CheckedFinding): string {
  const { title, path, startLine } = finding
  return `Refuted: ${title.slice(0, 150)} (${path}:${startLine}). ${reason}`.trim()
}

function describeCount(count: number, noun: string, reason: string): string[] {
  return count === 0 ? [] : [`Not reported: ${formatCount(count, noun)}, because ${reason}.`]
}

function formatCount(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}
