// The interfaces of reviewers, which propose findings, and of the verifier, which checks them.
//
// Glossary
//   change   the pull request, its diff, and the repository's files at base and head
//   span     a piece of text in the packed context, with its origin and trust
//   claim    a proposed finding that is anchored in the diff
//   round    the part of a change that is sent to a model at once
import type { RepositorySettings } from '../config/repository-settings.ts'
import type { ChangeGraph } from '../domain/change-graph.ts'
import type { Diff, DiffSide, FileDiff } from '../domain/diff.ts'
import type { ModelError } from '../domain/errors.ts'
import type { Citation, Evidence, Finding, ProposedFinding, Severity } from '../domain/finding.ts'
import { emptyLiveContext, type LiveContext } from '../domain/live-context.ts'
import type { CommitSummary, LinkedIssue, PullRequest } from '../domain/pull-request.ts'
import type { SkippedFile, Usage } from '../domain/review.ts'
import type { NumberedLines } from '../git/render-diff.ts'
import type { Snapshot } from '../git/snapshot.ts'
import type { Tool } from '../tools/tool.ts'

/** The change to review. */
export interface Change {
  readonly pullRequest: PullRequest
  readonly headSha: string
  /** The merge base is the old side of the diff. */
  readonly mergeBaseSha: string
  readonly diff: Diff
  /**
   * The files of `diff` that models and rules read. A file that was renamed from a skipped path has
   * all its lines here as added, although `diff` doesn't.
   */
  readonly files: readonly FileDiff[]
  /** Files that only rules read: lock files, and copies and output that are in the base too. */
  readonly exemptFiles: readonly ExemptFile[]
  /** How the changed lines of `files` and `exemptFiles` must be read, by path. */
  readonly needs: ReadonlyMap<string, ReadingNeeds>
  /** Files that are not read, with the reason. */
  readonly skipped: readonly SkippedFile[]
  /** Other limits of the collected change, one sentence each. */
  readonly notes: readonly string[]
  /** The repository as it is at the head. */
  readonly head: Snapshot
  /** The repository as it is at the merge base. */
  readonly base: Snapshot
  /** Settings are read from the base branch. */
  readonly settings: RepositorySettings
  /** The commits of the change, oldest first; empty when they aren't available. */
  readonly commits: readonly CommitSummary[]
  /** The issues that the pull request names; unreadable ones are left out. */
  readonly issues: readonly LinkedIssue[]
  readonly earlier: EarlierReviews
  /** Records from trackers and chats that concern the change. */
  readonly liveContext: LiveContext
  /** Tools with which a model can query trackers and chats. */
  readonly remoteTools: readonly Tool[]
  /** Is null without code graph and memory, as on the command line. */
  readonly graph: ChangeGraph | null
  /** Lists the commits before the head that changed a path, newest first, at most `limit`. */
  history(path: string, limit: number, signal: AbortSignal): Promise<readonly CommitSummary[]>
}

/** Lists the files that models or rules read. */
export function listReviewedFiles({
  files,
  exemptFiles,
}: Pick<Change, 'files' | 'exemptFiles'>): FileDiff[] {
  return [...files, ...exemptFiles.map(({ file }) => file)]
}

/** A file that models don't have to read. */
export interface ExemptFile {
  readonly file: FileDiff
  /** Explains it in one phrase. */
  readonly reason: string
}

/** Numbers of changed lines of one file. */
export interface ReadingNeeds {
  readonly changed: number
  /** Lines that a model or a language's rules must read; for the others a text search is enough. */
  readonly program: number
}

export interface EarlierReviews {
  readonly findings: readonly Finding[]
  /** Identities of the changed lines that models have read, see `identifyLines`. */
  readonly seenLines: ReadonlySet<string>
  /** What could not be loaded, one sentence each, for the coverage section. */
  readonly notes: readonly string[]
}

export const noEarlierReviews: EarlierReviews = { findings: [], seenLines: new Set(), notes: [] }

/** Used when no context source is configured. */
export const noOutsideContext: Pick<Change, 'liveContext' | 'remoteTools'> = {
  liveContext: emptyLiveContext,
  remoteTools: [],
}

/** Lines of a file, 1-based and inclusive: `LEFT` means the base, `RIGHT` the head. */
export interface ShownLines {
  readonly path: string
  readonly side: DiffSide
  readonly start: number
  readonly end: number
}

/** A piece of text that a model reads, with its origin. */
export interface ContextSpan {
  /** Names the kind of text: `diff`, `file`, `pull_request`, … */
  readonly origin: string
  /** All that a pull request can change is `untrusted`; `operator` texts are instructions. */
  readonly trust: 'operator' | 'base_branch' | 'untrusted'
  readonly path: string | null
  readonly text: string
  readonly tokens: number
  /** The lines of files that the text contains. */
  readonly lines?: readonly ShownLines[]
  /** The entries that findings can cite. */
  readonly citable?: readonly Citable[]
  /** Renders a list of the change's files with one more file. */
  readonly renderWithFile?: (file: FileDiff) => string
}

/** A memory or record with the short name by which a model cites it. */
export interface Citable {
  readonly name: string
  readonly citation: Citation
}

/** The part of a change that a model reads in one round. */
export interface ContextRound {
  readonly spans: readonly ContextSpan[]
  readonly tokens: number
  /** Which lines of files are numbered; all by default. */
  readonly lineNumbers?: NumberedLines
}

/** The rounds that the budget allows, and the files that are in none of them. */
export interface PackedContext {
  readonly rounds: readonly ContextRound[]
  readonly omitted: readonly OmittedFile[]
}

/** Used when no model is configured. */
export const emptyContext: PackedContext = { rounds: [], omitted: [] }

/** A file that the rules only searched as text. */
export interface TextOnlyFile {
  readonly path: string
  /** Explains it in one phrase. */
  readonly reason: string
}

/** A file that is not completely in the rounds. */
export interface OmittedFile extends SkippedFile {
  /** The number of its changed lines that are in no round. */
  readonly lines: number
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
