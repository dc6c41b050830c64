// The interfaces of reviewers, which propose findings, of the verifier, which checks them, and of
// the answerer, which talks about them.
import type { AnswerPosition } from '../domain/answer.ts'
import type { Change } from '../domain/change.ts'
import type { ModelError } from '../domain/errors.ts'
import type { Evidence, Finding, ProposedFinding, Severity } from '../domain/finding.ts'
import type { Usage } from '../domain/review.ts'
import type { PackedContext } from './packed-context.ts'

/** A file that the rules only searched as text. */
interface TextOnlyFile {
  readonly path: string
  /** Explains it in one phrase. */
  readonly reason: string
}

/** Counts how often models were shown a canary, and how often they didn't report it. */
export interface AttentionCount {
  readonly shown: number
  readonly missed: number
}

export interface ReviewerReport {
  readonly findings: readonly ProposedFinding[]
  /** Untrusted Markdown that describes the change; empty when the reviewer writes none. */
  readonly summary: string
  readonly usage: Usage
  /** Describes the limits of the review, one sentence each, for the coverage section. */
  readonly notes: readonly string[]
  /** Files that it did not read completely, or whose attention check failed. */
  readonly unread: readonly string[]
  /**
   * Files about which an answer ended early, lost a proposal, or came from another model than the
   * chosen one.
   */
  readonly unsettled?: readonly string[]
  /** Names of models with earlier answers in this report, for lines that didn't change since. */
  readonly keptFrom?: readonly string[]
  /** Is missing without an attention check. */
  readonly attention?: AttentionCount
  /** Errors that models caused, for the operator. */
  readonly failures?: readonly ModelError[]
  /** Ids of rules that could not run, so their earlier findings may still apply. */
  readonly skippedRules?: readonly string[]
  /** Files whose changed lines the rules parsed. */
  readonly readByRules?: readonly string[]
  /** Files that the rules could only search as text. */
  readonly textOnly?: readonly TextOnlyFile[]
  /** False when it did not review everything in its input. */
  readonly complete: boolean
}

/** Whether answers of a model are in a report, now or from before. */
export function isByModel({ usage, keptFrom = [] }: ReviewerReport): boolean {
  return usage.calls > 0 || keptFrom.length > 0
}

/** Proposes findings. Throws `ModelError` when the whole review failed. */
export interface Reviewer {
  readonly name: string
  review(change: Change, context: PackedContext, signal: AbortSignal): Promise<ReviewerReport>
}

/** The result of verifying one claim. */
export interface ClaimCheck {
  /** `unsure` when the code neither confirms nor refutes the claim. */
  readonly outcome: 'confirmed' | 'refuted' | 'unsure'
  /** Untrusted text of one sentence. */
  readonly reason: string
  /** The verified severity, which is never higher than the claimed one. */
  readonly severity: Severity
  /** The locations that the outcome is based on. */
  readonly evidence: readonly Evidence[]
}

/** The result of verifying claims. */
export interface VerifierReport {
  /** One check for each claim, in their order; undefined for those that could not be checked. */
  readonly checks: readonly (ClaimCheck | undefined)[]
  readonly usage: Usage
  /** Describes the limits of the verification, one sentence each, for the coverage section. */
  readonly notes: readonly string[]
}

/** Tries to refute claims. Throws only when the signal is aborted. */
export interface Verifier {
  verify(
    change: Change,
    claims: readonly ProposedFinding[],
    signal: AbortSignal,
  ): Promise<VerifierReport>
}

/** Who wrote a reply: the author of the pull request, another writer, or this program. */
export type Speaker = 'author' | 'writer' | 'self'

/** A reply that was written in the thread of a finding before. */
export interface ThreadReply {
  readonly by: Speaker
  /** It is untrusted. */
  readonly text: string
}

/** What somebody wants to know about a change, or about one of its findings. */
export interface Question {
  /** It is null for a question about the whole change. */
  readonly finding: Finding | null
  /** Lists findings of the change for a question about it. */
  readonly openFindings: readonly Finding[]
  /** They begin with the oldest. */
  readonly replies: readonly ThreadReply[]
  readonly requester: 'author' | 'writer'
  /** It is untrusted; empty to have the finding or the change explained. */
  readonly text: string
  /** Whether it may need no answer, as a reply between people. */
  readonly maySayNothing: boolean
}

export interface Answer {
  /** Untrusted Markdown; empty when nothing is to be said. */
  readonly text: string
  /** It has no effect on the finding. */
  readonly position: AnswerPosition
}

/** Answers questions. Throws `ModelError` without a usable answer. */
export interface Answerer {
  answer(change: Change, question: Question, signal: AbortSignal): Promise<Answer>
}
