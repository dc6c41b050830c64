// A finding: one claim about a change, from a reviewer's proposal to the comment on its line.
import { type FindingCategory, type Severity, severities } from '../contract/enums.ts'
import type { DiffSide } from './diff.ts'
import type { ContextRecordSummary } from './live-context.ts'

export {
  type FindingCategory,
  findingCategories,
  type Severity,
  severities,
} from '../contract/enums.ts'

/** Most severe first, then the surest. */
export function compareBySeverity(a: RankedClaim, b: RankedClaim): number {
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) || b.confidence - a.confidence
  )
}

interface RankedClaim {
  readonly severity: Severity
  readonly confidence: number
}

/** A place in the repository at the reviewed head that a claim rests on. */
export interface Evidence {
  readonly path: string
  /** 1-based. */
  readonly line: number
  readonly note: string
}

/** A memory of the repository, with its words as they were. */
export interface CitedMemory {
  readonly id: string
  readonly text: string
}

/**
 * What a claim can rest on beside the code: a memory of the repository, or a record of a tracker or
 * chat.
 */
export type Citation = CitedMemory | ContextRecordSummary

export function isRecordCitation(ground: Citation): ground is ContextRecordSummary {
  return 'source' in ground
}

/** The same ground with its words changed, and without an address that would change. */
export function mapCitationText(ground: Citation, change: (text: string) => string): Citation {
  if (!isRecordCitation(ground)) return { ...ground, text: change(ground.text) }
  const { title, url } = ground
  return { ...ground, title: change(title), url: url !== null && change(url) === url ? url : null }
}

/** What a reviewer claims, before it was anchored, checked, merged or capped. */
export interface ProposedFinding {
  /** Name of the reviewer. */
  readonly reviewer: string
  /** Stable id of the rule, for reviewers that have rules; otherwise null. */
  readonly rule: string | null
  readonly path: string
  readonly side: DiffSide
  /**
   * 1-based, inclusive, on `side`. May be wrong when a model said it: the judge resolves it with
   * the quote.
   */
  readonly startLine: number
  readonly endLine: number
  /** The code the claim is about, copied from the diff; empty when the lines are certain. */
  readonly quote: string
  readonly severity: Severity
  readonly category: FindingCategory
  /** The claim in one sentence, without a final full stop. */
  readonly title: string
  /** Markdown: when X, then Y. */
  readonly body: string
  /**
   * Replacement for the lines `startLine`..`endLine`, without a final line end; null when there is
   * none.
   */
  readonly suggestion: string | null
  readonly evidence: readonly Evidence[]
  /** What the claim would not stand without. */
  readonly citation?: Citation
  /** 0 to 1. */
  readonly confidence: number
}

/**
 * Where a finding is shown: on its line, in the summary only (it has no line in the diff, or the
 * platform refused the line), or held back by the cap.
 */
export type FindingPlacement = 'inline' | 'summary' | 'held_back'

/**
 * What became of a finding: its cause stands, its cause is gone, or somebody who may write to the
 * repository dismissed it.
 */
export type FindingState = 'open' | 'resolved' | 'dismissed'

/** That a person who may write to the repository said that a finding doesn't count. */
export interface Dismissal {
  /** Username. */
  readonly login: string
  /** `thread`: resolved its conversation. `api`: on the page or through the API. */
  readonly via: 'thread' | 'api'
  /** In their own words; empty for a thread. */
  readonly reason: string
}

/** A finding that passed the judge. */
export interface Finding extends ProposedFinding {
  /**
   * Identity across pushes: where it was raised first, on what code, and what kind of harm; 32 hex
   * digits.
   */
  readonly fingerprint: string
  /**
   * Of the code it stands on, see `hashAnchor`: finds it again in another file, and where a quote
   * can't be kept.
   */
  readonly anchorHash: string
  readonly state: FindingState
  /** Who dismissed it; missing where nobody did. */
  readonly dismissal?: Dismissal
  /** People answered in its thread: it goes on counting, and isn't said again in other words. */
  readonly answered?: boolean
  /** Its code is gone, and it counts all the same: a secret that was pushed is known. */
  readonly removed?: boolean
  /** How often it came back after it had been resolved. */
  readonly reopened: number
  readonly placement: FindingPlacement
  /** Whether someone other than the proposer checked it. Static findings count as verified. */
  readonly verified: boolean
}
