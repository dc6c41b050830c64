// Defines the types of the judging stages: Candidate → Anchored → Merged → Tracked → Verified →
// Placed. Each stage is a file that is named after it.
import type { Finding, ProposedFinding, Severity } from '../../domain/finding.ts'
import type { ClaimCheck } from '../../reviewers/reviewer.ts'

/** A finding as a reviewer proposes it. */
export type Candidate = ProposedFinding

/** A candidate whose lines are known. Its quote finds them again after the next push. */
export type Anchored = Candidate &
  Pick<Finding, 'placement' | 'verified'> & {
    /** The code of its lines, normalized. */
    readonly anchorText: string
  }

/** One claim, made by one candidate or by several. */
export interface Merged {
  /** The strongest member, with the suggestion and the evidence of all members. */
  readonly claim: Anchored
  /** All candidates, the strongest first, each unchanged. */
  readonly members: readonly Anchored[]
  /** The member that a rule proposed. */
  readonly byRule: Anchored | null
}

/** An open finding that is known across pushes, and what earlier reviews say about it. */
export interface Tracked {
  readonly finding: Finding
  /** The same claim as a rule makes it. */
  readonly byRule: Anchored | null
  /** The finding of an earlier review that it repeats. */
  readonly before: Finding | null
  /** Earlier findings that claim the same about the same lines. */
  readonly repeats: readonly Finding[]
  /** Whether a model read its lines in an earlier review. */
  readonly isSeen: boolean
  /** The worst severity that was reported for its file; minor if nothing was. */
  readonly worstReported: Severity
}

/** A tracked finding with the result of its verification. */
export interface Verified extends Tracked {
  /**
   * `settled`: unchanged, as it is by a rule, was confirmed before, or there is no verifier.
   * `unsure`: the code neither confirms nor refutes it. `unchecked`: the verifier failed.
   */
  readonly outcome: ClaimCheck['outcome'] | 'settled' | 'unchecked'
  /** The verifier's reason, or an empty string. Untrusted. */
  readonly reason: string
}

/** A finding whose placement is decided: on its line, in the summary, or suppressed. */
export type Placed = Finding
