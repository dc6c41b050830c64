// Gathers a change from a local repository: commits, staged or uncommitted changes.
import { basename } from 'node:path'
import { type Change, noEarlierReviews, noOutsideContext } from '../domain/change.ts'
import type { FileDiff } from '../domain/diff.ts'
import type { CommitSummary, PullRequest } from '../domain/pull-request.ts'
import type { SkippedFile } from '../domain/review.ts'
import {
  findDefaultBranch,
  noCommitsError,
  nothingToCompareError,
} from '../git/find-default-branch.ts'
import {
  type LocalEdits,
  readStagedEdits,
  readUncommittedEdits,
  type UnreadFile,
} from '../git/local-edits.ts'
import { listCommits } from '../git/local-history.ts'
import { type LocalRepository, openLocalRepository } from '../git/local-repository.ts'
import { parseDiff } from '../git/parse-diff.ts'
import type { GitRuntime } from '../git/run-git.ts'
import {
  createScratchRepository,
  emptyTree,
  type ScratchRepository,
} from '../git/scratch-repository.ts'
import { isProgrammingPath } from '../languages/linguist.ts'
import { checkChangedSettings, loadSettings } from './gathering/read-settings.ts'
import { triageFiles } from './gathering/triage-files.ts'

const maxCommits = 100

/**
 * What to review. `range`: the commits of `head` since it diverged from `base`, also in a bare
 * repository; `branch`: those of HEAD since the default branch; `any`: uncommitted changes, or else
 * `branch`.
 */
type LocalSource =
  | { readonly kind: 'commits'; readonly base: string }
  | { readonly kind: 'range'; readonly base: string; readonly head: string }
  | { readonly kind: 'branch' | 'staged' | 'uncommitted' | 'any' }

interface Comparison {
  readonly kind: 'commits' | 'staged' | 'uncommitted'
  /** A description for people, such as `uncommitted changes against HEAD (1a2b3c4)`. */
  readonly description: string
  /** It is null in a repository without commits. */
  readonly baseSha: string | null
  /** It is null for uncommitted changes. */
  readonly headSha: string | null
  /** A hint for people when there is nothing to review. */
  readonly emptyReason?: string | undefined
}

interface GatheredLocalChange extends AsyncDisposable {
  readonly change: Change
  readonly comparison: Comparison
  readonly workTree: string
}

interface LocalTask {
  readonly gitRuntime: GitRuntime
  /** Any directory inside of the repository. */
  readonly folder: string
  readonly source: LocalSource
  /** Replaces the repository's index, as git requires of its hooks. */
  readonly indexFile: string | undefined
  /** Called once git runs and this process has time for something else. */
  readonly onWork?: () => void
  /**
   * Called with the paths of the change as soon as they are known, except paths that aren't UTF-8.
   */
  readonly onPaths?: (paths: readonly string[]) => void
}

/**
 * Gathers a change without writing to the repository. Dispose of the result: it holds git processes
 * and a temporary directory.
 *
 * @throws UmpireError `no_repository` or `nothing_to_compare`, whose message says what to do
 */
export async function gatherLocalChange(
  task: LocalTask,
  signal: AbortSignal,
): Promise<GatheredLocalChange> {
  await using stack = new AsyncDisposableStack()
  const allowsBare = task.source.kind === 'range'
  const repository = stack.use(
    await openLocalRepository(task.gitRuntime, task.folder, { allowsBare }),
  )
  const pendingSides = chooseSides(repository, task, signal)
  task.onWork?.()
  const sides = await pendingSides
  if (sides.edits !== undefined)
    task.onPaths?.(sides.edits.edits.map(({ path }) => Buffer.from(path).toString('utf8')))
  const scratch = stack.use(await openScratch(repository, sides.base))
  const headSha = sides.edits
    ? await scratch.commit(sides.headCommit, sides.edits.edits, signal)
    : sides.head
  const change = await describeChange(
    { ...task, repository, scratch, sides, headSha },
    stack,
    signal,
  )
  const held = stack.move()
  return {
    change,
    comparison: sides.comparison,
    workTree: repository.workTree,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

/** The two sides of the diff. */
interface Sides {
  readonly comparison: Comparison
  /** A commit, or the empty tree. */
  readonly base: string
  /** The newest commit of the new side; undefined in a repository without commits. */
  readonly headCommit: string | undefined
  /** The commit of the new side; ignored if there are `edits`. */
  readonly head: string
  readonly edits: LocalEdits | undefined
}

async function chooseSides(
  repository: LocalRepository,
  task: LocalTask,
  signal: AbortSignal,
): Promise<Sides> {
  const { source } = task
  if (source.kind === 'range') return compareRange(repository, source, signal)
  const headCommit = await repository.findCommit('HEAD')
  if (source.kind === 'commits') return compareCommits(repository, headCommit, source.base, signal)
  if (source.kind === 'branch') return compareBranch(repository, headCommit, signal)
  return compareEdits(repository, headCommit, task, signal)
}

async function compareEdits(
  repository: LocalRepository,
  headCommit: string | undefined,
  { source, indexFile }: LocalTask,
  signal: AbortSignal,
): Promise<Sides> {
  const base = headCommit ?? emptyTree(await repository.oidLength())
  const query = { repository, from: base, indexFile, signal }
  const kind = source.kind === 'staged' ? 'staged' : 'uncommitted'
  const readEdits = kind === 'staged' ? readStagedEdits : readUncommittedEdits
  const edits = await readEdits(query)
  const isEmpty = !hasReviewableEdits(edits)
  if (source.kind === 'any' && isEmpty && headCommit !== undefined) {
    return compareBranch(repository, headCommit, signal)
  }
  const isNothingStaged = kind === 'staged' && isEmpty
  const emptyReason = isNothingStaged
    ? describeUnstaged(await readUncommittedEdits(query))
    : undefined
  const comparison: Comparison = {
    kind,
    description: `${kind} changes against ${describeHead(headCommit)}`,
    baseSha: headCommit ?? null,
    headSha: null,
    emptyReason,
  }
  return { comparison, base, headCommit, head: base, edits }
}

function hasReviewableEdits({ edits, unread }: LocalEdits): boolean {
  return edits.length > 0 || unread.some(({ matters }) => matters !== false)
}

function describeHead(headCommit: string | undefined): string {
  if (headCommit === undefined) return 'an empty tree: there are no commits yet'
  return `HEAD (${headCommit.slice(0, 7)})`
}

function describeUnstaged({ edits }: LocalEdits): string | undefined {
  if (edits.length === 0) return undefined
  const files = edits.length === 1 ? '1 file has' : `${edits.length} files have`
  return `Nothing is staged; ${files} unstaged changes (umpire review --uncommitted).`
}

async function compareBranch(
  repository: LocalRepository,
  headCommit: string | undefined,
  signal: AbortSignal,
): Promise<Sides> {
  if (headCommit === undefined) throw noCommitsError()
  return compareCommits(
    repository,
    headCommit,
    await findDefaultBranch(repository, headCommit, signal),
    signal,
  )
}

async function compareCommits(
  repository: LocalRepository,
  headCommit: string | undefined,
  name: string,
  signal: AbortSignal,
): Promise<Sides> {
  if (headCommit === undefined) throw noCommitsError()
  const { commit, named } = await findNamed(repository, name)
  const base = await repository.mergeBase(commit, headCommit, signal)
  if (base === undefined) {
    const unrelated = `HEAD and ${named} have no commit in common`
    throw nothingToCompareError(
      repository.isShallow
        ? `Only part of the history is here, and in it ${unrelated}: ` +
            'fetch more of it, with git fetch --unshallow (in CI: a fetch depth of 0).'
        : `${unrelated}.`,
    )
  }
  const range = `${base.slice(0, 7)}..${headCommit.slice(0, 7)}`
  const description = `the commits of ${repository.branch ?? 'HEAD'} since ${named} (${range})`
  const comparison: Comparison = {
    kind: 'commits',
    description,
    baseSha: base,
    headSha: headCommit,
    emptyReason:
      base === headCommit
        ? `Nothing to review: there are no commits since ${named}. Change a file, or review ` +
          'earlier commits: umpire review --base HEAD~1.'
        : undefined,
  }
  return { comparison, base, headCommit, head: headCommit, edits: undefined }
}

/** Without the history between the commits, compares them directly. */
async function compareRange(
  repository: LocalRepository,
  range: { readonly base: string; readonly head: string },
  signal: AbortSignal,
): Promise<Sides> {
  const { commit: head } = await findNamed(repository, range.head)
  const { commit } = await findNamed(repository, range.base)
  const base = (await repository.mergeBase(commit, head, signal)) ?? commit
  const description = `${base.slice(0, 7)}..${head.slice(0, 7)}`
  const comparison: Comparison = { kind: 'commits', description, baseSha: base, headSha: head }
  return { comparison, base, headCommit: head, head, edits: undefined }
}

/** A branch that was never checked out here exists only as the remote's. */
async function findNamed(
  repository: LocalRepository,
  name: string,
): Promise<{ commit: string; named: string }> {
  for (const named of [name, `origin/${name}`]) {
    const commit = await repository.findCommit(named)
    if (commit !== undefined) return { commit, named }
  }
  const missing = `There is no commit that is called ${name}`
  throw nothingToCompareError(
    repository.isShallow
      ? `${missing}, and only part of the history is here: fetch the rest, with ` +
          'git fetch --unshallow origin "+refs/heads/*:refs/remotes/origin/*" ' +
          '(in CI: a fetch depth of 0).'
      : `${missing}: fetch it, or name another with --base.`,
  )
}

async function openScratch(repository: LocalRepository, base: string): Promise<ScratchRepository> {
  return createScratchRepository(repository.runtime, {
    objects: repository.objectsDirectory,
    oidLength: base.length,
  })
}

interface GatheredParts extends Pick<LocalTask, 'onPaths'> {
  readonly repository: LocalRepository
  readonly scratch: ScratchRepository
  readonly sides: Sides
  readonly headSha: string
}

async function describeChange(
  { repository, scratch, sides, headSha, onPaths }: GatheredParts,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Change> {
  const { base, headCommit, comparison } = sides
  const [rawDiff, commits] = await Promise.all([
    scratch.diff(base, headSha, signal),
    comparison.kind === 'commits'
      ? listCommits(repository, { head: headSha, base, limit: maxCommits }, signal)
      : ([] as readonly CommitSummary[]),
  ])
  const diff = parseDiff(rawDiff)
  if (sides.edits === undefined) onPaths?.(diff.files.map(({ path }) => path))
  const head = stack.use(scratch.snapshot(headSha))
  const old = stack.use(scratch.snapshot(base))
  const loaded = await loadSettings(old, { organization: null, draft: false, changed: diff.files })
  const { notes, skipped, ...triaged } = await triageFiles(diff.files, { head, base: old }, loaded)
  return {
    pullRequest: describeAsPullRequest(repository, sides, headSha, commits, diff.files),
    headSha,
    mergeBaseSha: base,
    diff,
    ...triaged,
    skipped: [...skipped, ...(sides.edits?.unread ?? []).map(toSkippedFile)],
    notes: [...loaded.notes, ...(await checkChangedSettings(diff.files, head)), ...notes],
    head,
    base: old,
    settings: loaded.settings,
    commits: commits.toReversed(),
    issues: [],
    earlier: noEarlierReviews,
    graph: null,
    ...noOutsideContext,
    history: async (path, limit, within) =>
      headCommit === undefined
        ? []
        : listCommits(repository, { head: headCommit, path, limit }, within),
  }
}

function toSkippedFile({ path, reason, matters }: UnreadFile): SkippedFile {
  return {
    path,
    reason,
    matters: matters === 'program' ? isProgrammingPath(path) : matters,
  }
}

/** Builds a pull request from the commits, for a change that isn't on a code host. */
function describeAsPullRequest(
  repository: LocalRepository,
  { base, comparison }: Sides,
  headSha: string,
  commits: readonly CommitSummary[],
  files: readonly FileDiff[],
): PullRequest {
  const newest = commits[0]
  const newestTime = newest?.committedAt ?? ''
  return {
    repo: basename(repository.workTree),
    number: 0,
    title: newest?.message.split('\n')[0] ?? `Local ${comparison.kind} changes`,
    body: commits.map(({ message }) => message).join('\n\n'),
    author: newest?.author ?? '',
    isByBot: false,
    labels: [],
    state: 'open',
    draft: false,
    url: '',
    head: { branch: repository.branch ?? '', sha: headSha, repo: null },
    base: { branch: '', sha: base },
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    changedFiles: files.length,
    createdAt: newestTime,
    updatedAt: newestTime,
    mergedAt: null,
  }
}
