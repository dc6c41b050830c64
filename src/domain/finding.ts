// Findings: claims about a change, from a reviewer's proposal to the posted comment.
import {
  type DiffSide,
  type DismissalKind,
  type DismissalWay,
  type FindingCategory,
  type FindingPlacement,
  type FindingResolution,
  type FindingState,
  type Severity,
  severities,
} from '../contract/enums.ts'
import type { ContextRecordSummary } from './live-context.ts'

export {
  type DismissalKind,
  type FindingCategory,
  type FindingPlacement,
  type FindingResolution,
  type FindingState,
  findingCategories,
  type Severity,
  severities,
} from '../contract/enums.ts'

/** Sorts by severity, then security first, then by confidence, the highest first. */
export function compareBySeverity(a: RankedClaim, b: RankedClaim): number {
  const isSecurity = ({ category }: RankedClaim) => Number(category === 'security')
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    isSecurity(b) - isSecurity(a) ||
    b.confidence - a.confidence
  )
}

/** Whether a severity is worse than another. */
export function isWorse(severity: Severity, other: Severity): boolean {
  return severities.indexOf(severity) < severities.indexOf(other)
}

interface RankedClaim {
  readonly severity: Severity
  readonly category: FindingCategory
  readonly confidence: number
}

/** A location at the reviewed head that supports a claim. */
export interface Evidence {
  readonly path: string
  /** 1-based. */
  readonly line: number
  readonly note: string
}

/** A memory of the repository, with the text that it had during the review. */
interface CitedMemory {
  readonly id: string
  readonly text: string
}

/** A claim can cite a memory of the repository, or a record of a tracker or chat. */
export type Citation = CitedMemory | ContextRecordSummary

export function isRecordCitation(citation: Citation): citation is ContextRecordSummary {
  return 'source' in citation
}

/** Applies `change` to the text of a citation. A URL that it would change is removed. */
export function mapCitationText(citation: Citation, change: (text: string) => string): Citation {
  if (!isRecordCitation(citation)) return { ...citation, text: change(citation.text) }
  const { title, url } = citation
  const isUrlUnchanged = url !== null && change(url) === url
  return { ...citation, title: change(title), url: isUrlUnchanged ? url : null }
}

/** A claim by a reviewer, before the judge has anchored, merged and verified it. */
export interface ProposedFinding {
  readonly reviewer: string
  /** Stable id of the rule, also of another tool (`eslint/no-eval`); null for claims by models. */
  readonly rule: string | null
  /** Our rule that finds the same as the rule of another tool. */
  readonly sameAs?: string
  /** Whether a person without write access may have made it up. */
  readonly isStrangers?: boolean
  readonly path: string
  readonly side: DiffSide
  /**
   * 1-based, inclusive, on `side`. Lines named by a model may be wrong, so the judge looks for the
   * quote.
   */
  readonly startLine: number
  readonly endLine: number
  /** The code that the claim is about, copied from the diff; empty if the lines are certain. */
  readonly quote: string
  readonly severity: Severity
  readonly category: FindingCategory
  /** States the claim in one sentence, without a final period. */
  readonly title: string
  /** Markdown that says: when X, then Y. */
  readonly body: string
  /**
   * Replaces the lines from `startLine` to `endLine`. Has no final line end.
   */
  readonly suggestion: string | null
  readonly evidence: readonly Evidence[]
  /** Without what is cited here the claim would not hold. */
  readonly citation?: Citation
  /** It is from 0 to 1. */
  readonly confidence: number
}

/** Whether a rule is of another tool: the id of the tool and a slash begin its id. */
export function isToolRule(rule: string | null): rule is string {
  return rule?.includes('/') === true
}

/** Whether a rule of this program made the claim, so that it counts as verified. */
export function isOwnRule(rule: string | null): rule is string {
  return rule !== null && !isToolRule(rule)
}

/** The decision of a user with write access that a finding doesn't count. */
export interface Dismissal {
  readonly login: string
  readonly via: DismissalWay
  /** Written by the user; empty for a thread. */
  readonly reason: string
  /** Null if the user didn't choose one. */
  readonly kind: DismissalKind | null
}

/** A finding that was accepted by the judge. */
export interface Finding extends ProposedFinding {
  /** Identifies the finding across pushes; 32 hexadecimal digits, see `computeFingerprint`. */
  readonly fingerprint: string
  /** Finds the code in other files, or without its quote, see `hashAnchor`. */
  readonly anchorHash: string
  readonly state: FindingState
  /** Why it is resolved. */
  readonly resolution?: FindingResolution
  readonly dismissal?: Dismissal
  /** A person replied in its thread, so it stays open and isn't repeated in other words. */
  readonly answered?: boolean
  /** Its code is gone, but it stays open, because a pushed secret is known to others. */
  readonly removed?: boolean
  /** Counts how often it was found again after it had been resolved. */
  readonly reopened: number
  readonly placement: FindingPlacement
  /** Whether it was verified. Findings of rules count as verified. */
  readonly verified: boolean
}
