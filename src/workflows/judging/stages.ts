// Defines the types of findings between the steps of the judge: Candidate → Anchored → Merged →
// Tracked → Verified → Placed. Each arrow is a file: anchor, merge, track, verify, place.
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
  /** This is the most severe and certain member, with the suggestion and evidence of all. */
  readonly claim: Anchored
  /** Lists the merged candidates unchanged, the most severe and certain first. */
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
  /** True if a model read its lines in an earlier review. */
  readonly isSeen: boolean
  /** The worst severity that was reported for its file; minor if nothing was. */
  readonly worstReported: Severity
}

/** The verification of a tracked finding. It keeps what the policy needs. */
export interface Verified extends Tracked {
  /**
   * `settled`: it was not verified now, because a rule made the claim, an earlier review confirmed
   * it, or no verifier is configured. `unsure`: the code neither confirms nor refutes it.
   * `unchecked`: the verifier failed.
   */
  readonly outcome: ClaimCheck['outcome'] | 'settled' | 'unchecked'
  /** The verifier's reason, or an empty string. Untrusted. */
  readonly reason: string
}

/** A finding whose placement is decided: on its line, in the summary, or suppressed. */
export type Placed = Finding
