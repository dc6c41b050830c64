// The contract of a reviewer: it proposes findings about a change, and nothing else.
//
// Glossary
//   change   the pull request, its diff, and the repository's files at base and head
//   span     a piece of text in the packed context, with its origin and how far it may be trusted
//   claim    a proposed finding that has its place in the diff
//   round    one helping of a change that doesn't fit into the token budget at once
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

/** What is to be reviewed. */
export interface Change {
  readonly pullRequest: PullRequest
  readonly headSha: string
  /** Where head and base parted: the old side of the diff. */
  readonly mergeBaseSha: string
  readonly diff: Diff
  /**
   * The files of `diff` that everybody reads. One that moved here from where nobody looked is whole in it: its lines
   * aren't in `diff`.
   */
  readonly files: readonly FileDiff[]
  /** Files that only rules read: models are spared lock files, and copies and output that the base has too. */
  readonly exemptFiles: readonly ExemptFile[]
  /** How the changed lines of `files` and `exemptFiles` have to be read, by path. */
  readonly needs: ReadonlyMap<string, ReadingNeeds>
  /** The others, and why. */
  readonly skipped: readonly SkippedFile[]
  /** Other limits of what could be gathered, one sentence each. */
  readonly notes: readonly string[]
  /** The repository at the head and at the merge base. */
  readonly head: Snapshot
  readonly base: Snapshot
  /** The repository's own, from its base branch. */
  readonly settings: RepositorySettings
  /** The commits of the change, oldest first; empty where they can't be had. */
  readonly commits: readonly CommitSummary[]
  /** The issues that the pull request names; those that can't be read are left out. */
  readonly issues: readonly LinkedIssue[]
  readonly earlier: EarlierReviews
  /** What trackers and chats say about it, and tools to ask them further. */
  readonly liveContext: LiveContext
  readonly remoteTools: readonly Tool[]
  /** What the code graph and the memory know about it; null where there is neither, as on the command line. */
  readonly graph: ChangeGraph | null
  /** The newest commits before the head that touched a path, newest first, `limit` at most. */
  history(path: string, limit: number, signal: AbortSignal): Promise<readonly CommitSummary[]>
}

/** All files that somebody reads. */
export function listReviewedFiles({
  files,
  exemptFiles,
}: Pick<Change, 'files' | 'exemptFiles'>): FileDiff[] {
  return [...files, ...exemptFiles.map(({ file }) => file)]
}

/** A file that models need not read, and why, in one phrase. */
export interface ExemptFile {
  readonly file: FileDiff
  readonly reason: string
}

/** Numbers of changed lines of one file. */
export interface ReadingNeeds {
  readonly changed: number
  /** Those that a model or the rules of their language must have read; a search of the text is enough for the others. */
  readonly program: number
}

/** What earlier reviews of the pull request came to. */
export interface EarlierReviews {
  /** Their findings, with what became of each. */
  readonly findings: readonly Finding[]
  /** Identities of the changed lines that models have read, see `identifyLines`; empty before the first review. */
  readonly seenLines: ReadonlySet<string>
  /** What could not be recalled, one sentence each, for the coverage section. */
  readonly notes: readonly string[]
}

export const noEarlierReviews: EarlierReviews = { findings: [], seenLines: new Set(), notes: [] }

/** Of a change about which nobody else was asked. */
export const noOutsideContext: Pick<Change, 'liveContext' | 'remoteTools'> = {
  liveContext: emptyLiveContext,
  remoteTools: [],
}

/** Lines of a file, 1-based, both ends included: `LEFT` at the base, `RIGHT` at the head. */
export interface ShownLines {
  readonly path: string
  readonly side: DiffSide
  readonly start: number
  readonly end: number
}

/** A piece of the packed context. */
export interface ContextSpan {
  /** Where it comes from: `diff`, `file`, `pull_request`, … */
  readonly origin: string
  /** `operator`: written by whoever runs the service. Everything that a pull request can change is `untrusted`. */
  readonly trust: 'operator' | 'base_branch' | 'untrusted'
  readonly path: string | null
  readonly text: string
  readonly tokens: number
  /** The lines of files that stand in it, where it has any. */
  readonly lines?: readonly ShownLines[]
  /** What of it findings can cite, where there is something. */
  readonly citable?: readonly Citable[]
  /** Of a list of the change's files: its text were this file one of them. */
  readonly renderWithFile?: (file: FileDiff) => string
}

/** What a finding can rest on, under the short name by which a model cites it. */
export interface Citable {
  readonly name: string
  readonly citation: Citation
}

/** What a model is shown of a change in one round. */
export interface ContextRound {
  readonly spans: readonly ContextSpan[]
  readonly tokens: number
  /** Which lines of files have their number before them; all by default. */
  readonly lineNumbers?: NumberedLines
}

/** The packed context: as many rounds as the budget allows, and what fitted into none. */
export interface PackedContext {
  readonly rounds: readonly ContextRound[]
  readonly omitted: readonly OmittedFile[]
}

/** The context of a review without a model: none. */
export const emptyContext: PackedContext = { rounds: [], omitted: [] }

/** A file of which the rules read no more than the text, and why, in one phrase. */
export interface TextOnlyFile {
  readonly path: string
  readonly reason: string
}

/** A file that no round shows, or not whole. */
export interface OmittedFile extends SkippedFile {
  /** How many of its changed lines are in no round. */
  readonly lines: number
}

/** What a reviewer came to. */
export interface ReviewerReport {
  readonly findings: readonly ProposedFinding[]
  /** Free Markdown about the change as a whole; empty where the reviewer has none. Untrusted. */
  readonly summary: string
  readonly usage: Usage
  /** Limits of this reviewer's work, one sentence each, for the coverage section. */
  readonly notes: readonly string[]
  /** Paths of files that it could not look at, or not wholly, or gave no proof of having read. */
  readonly unread: readonly string[]
  /** What kept models from doing all of it, for the operator. */
  readonly failures?: readonly ModelError[]
  /** Ids of rules that had nothing to look at: what they found before may still be there. */
  readonly skippedRules?: readonly string[]
  /** Of the rules: files whose changed lines they read by the syntax of their language. */
  readonly readByRules?: readonly string[]
  /** Of the rules: files that they could only search as text. */
  readonly textOnly?: readonly TextOnlyFile[]
  /** False when it could not look at all that it was given. */
  readonly complete: boolean
}

/** Proposes findings. Throws `ModelError` when it could do nothing at all. */
export interface Reviewer {
  readonly name: string
  review(change: Change, context: PackedContext, signal: AbortSignal): Promise<ReviewerReport>
}

/** What the verification of a claim came to. */
export interface ClaimCheck {
  /** `unsure`: neither shown nor refuted by the code in hand. */
  readonly outcome: 'confirmed' | 'refuted' | 'unsure'
  /** In one sentence. Untrusted. */
  readonly reason: string
  /** What the claim is worth as far as it holds; never more than what was claimed. */
  readonly severity: Severity
  /** Places that the check rests on. */
  readonly evidence: readonly Evidence[]
}

/** What a verification came to. */
export interface VerifierReport {
  /** One for each claim, in their order; undefined for those that could not be checked. */
  readonly checks: readonly (ClaimCheck | undefined)[]
  readonly usage: Usage
  /** Limits of the verification, one sentence each, for the coverage section. */
  readonly notes: readonly string[]
}

/** Tries to refute claims with the code in hand. Never throws but for an aborted signal. */
export interface Verifier {
  verify(
    change: Change,
    claims: readonly ProposedFinding[],
    signal: AbortSignal,
  ): Promise<VerifierReport>
}
