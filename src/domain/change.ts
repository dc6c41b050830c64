// The change to review: a pull request, its diff, and what is known about them.
import type { ChangeGraph, NamedDefinition } from './change-graph.ts'
import type { Diff, FileDiff } from './diff.ts'
import type { Finding } from './finding.ts'
import { emptyLiveContext, type LiveContext } from './live-context.ts'
import type { CommitSummary, LinkedIssue, PullRequest } from './pull-request.ts'
import type { RepositorySettings } from './repository-settings.ts'
import type { SkippedFile } from './review.ts'
import type { Snapshot } from './snapshot.ts'
import type { Tool } from './tool.ts'

/** The change to review. */
export interface Change {
  readonly pullRequest: PullRequest
  readonly headSha: string
  /** The merge base is the old side of the diff. */
  readonly mergeBaseSha: string
  readonly diff: Diff
  /**
   * The files of `diff` that models and rules read. Here, all lines of a file that was renamed from
   * a skipped path count as added; in `diff`, they don't.
   */
  readonly files: readonly FileDiff[]
  /** Only rules read these: lock files, and generated or vendored files that the base has too. */
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
  /**
   * Finds definitions by their names in the stored code graph. Resolves to null, or is missing, if
   * there is none.
   */
  findDefinitions?(
    names: readonly string[],
  ): Promise<ReadonlyMap<string, readonly NamedDefinition[]> | null>
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

/** Finds the only file with the same name in any folder, for a path that is none of the files'. */
export function findByBaseName(files: readonly FileDiff[], path: string): FileDiff | undefined {
  const baseName = (each: string) => each.slice(each.lastIndexOf('/') + 1)
  const [file, ...others] = files.filter((each) => baseName(each.path) === baseName(path))
  return others.length === 0 ? file : undefined
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
  /** Changed lines of program text. For the others, a search for texts is enough. */
  readonly program: number
}

export interface EarlierReviews {
  readonly findings: readonly Finding[]
  /**
   * The changed lines that were read: their identities (see `identifyLines`) if models did, and
   * what `markReadByRules` makes of these if rules did.
   */
  readonly seenLines: ReadonlySet<string>
  /** What could not be loaded, one sentence each, for the coverage section. */
  readonly notes: readonly string[]
  /** Whether what models confirmed before is verified again. */
  readonly isVerifiedAgain?: boolean
}

export const noEarlierReviews: EarlierReviews = { findings: [], seenLines: new Set(), notes: [] }

/** Used when no context source is configured. */
export const noOutsideContext: Pick<Change, 'liveContext' | 'remoteTools'> = {
  liveContext: emptyLiveContext,
  remoteTools: [],
}
