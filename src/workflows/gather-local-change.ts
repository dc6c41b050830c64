// Gathers a change from a repository on this machine: commits, what is staged, or what isn't committed.
import { basename } from 'node:path'
import { languageOfPath } from '../code/languages.ts'
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
import { type Change, noEarlierReviews, noOutsideContext } from '../reviewers/reviewer.ts'
import { checkChangedSettings, loadSettings } from './gathering/read-settings.ts'
import { triageFiles } from './gathering/triage-files.ts'

const maxCommits = 100

/** What is to be reviewed; `branch`: against the default one; `any`: what isn't committed, else `branch`. */
export type LocalSource =
  | { readonly kind: 'commits'; readonly base: string }
  | { readonly kind: 'branch' | 'staged' | 'uncommitted' | 'any' }

/** What is compared with what. */
export interface Comparison {
  readonly kind: 'commits' | 'staged' | 'uncommitted'
  /** For people, as in `3 commits since main`. */
  readonly description: string
  /** The commit on the old side; null in a repository without commits. */
  readonly baseSha: string | null
  /** The commit on the new side; null for what isn't committed. */
  readonly headSha: string | null
  /** What to say where there is nothing on the new side, if that is worth a word. */
  readonly emptyReason?: string | undefined
}

export interface GatheredLocalChange extends AsyncDisposable {
  readonly change: Change
  readonly comparison: Comparison
  /** Top folder of the work tree. */
  readonly workTree: string
}

/** Where to look. */
export interface LocalTask {
  readonly gitRuntime: GitRuntime
  /** A folder inside of the repository. */
  readonly folder: string
  readonly source: LocalSource
  /** Another index than the repository's own, as git names it to its hooks. */
  readonly indexFile: string | undefined
  /** Called when git is at work, and this process has time for something else. */
  readonly onWork?: () => void
  /** Called with the paths of the change (names that are no text left out) as soon as they are known. */
  readonly onPaths?: (paths: readonly string[]) => void
}

/**
 * Gathers a change. The repository is only read. Dispose of what comes: it holds git processes and a temporary folder.
 *
 * @throws UmpireError of code `no_repository` or `nothing_to_compare` with what to do about it
 */
export async function gatherLocalChange(
  task: LocalTask,
  signal: AbortSignal,
): Promise<GatheredLocalChange> {
  await using stack = new AsyncDisposableStack()
  const repository = stack.use(await openLocalRepository(task.gitRuntime, task.folder))
  const choosing = chooseSides(repository, task, signal)
  task.onWork?.()
  const sides = await choosing
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

/** What is on either side of the diff. */
interface Sides {
  readonly comparison: Comparison
  /** Commit, or the empty tree. */
  readonly base: string
  /** The newest commit that belongs to the new side; undefined where there is none yet. */
  readonly headCommit: string | undefined
  /** The commit on the new side, where `edits` don't make one. */
  readonly head: string
  readonly edits: LocalEdits | undefined
}

async function chooseSides(
  repository: LocalRepository,
  task: LocalTask,
  signal: AbortSignal,
): Promise<Sides> {
  const { source } = task
  const headCommit = await repository.findCommit('HEAD')
  if (source.kind === 'commits') return compareCommits(repository, headCommit, source.base, signal)
  if (source.kind === 'branch') return compareBranch(repository, headCommit, signal)
  const base = headCommit ?? emptyTree(await repository.oidLength())
  const query = { repository, from: base, indexFile: task.indexFile, signal }
  const edits =
    source.kind === 'staged' ? await readStagedEdits(query) : await readUncommittedEdits(query)
  const isSomething =
    edits.edits.length > 0 || edits.unread.some(({ matters }) => matters !== false)
  if (source.kind === 'any' && !isSomething && headCommit !== undefined) {
    return compareBranch(repository, headCommit, signal)
  }
  const kind = source.kind === 'staged' ? 'staged' : 'uncommitted'
  const against =
    headCommit === undefined
      ? 'an empty tree: there are no commits yet'
      : `HEAD (${headCommit.slice(0, 7)})`
  const description = `${kind} changes against ${against}`
  const nothing =
    kind === 'staged' && !isSomething
      ? describeUnstaged(await readUncommittedEdits(query))
      : undefined
  const comparison: Comparison = {
    kind,
    description,
    baseSha: headCommit ?? null,
    headSha: null,
    emptyReason: nothing,
  }
  return { comparison, base, headCommit, head: base, edits }
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
  const { commit, named } = await findBase(repository, name)
  const base = await repository.mergeBase(commit, headCommit, signal)
  if (base === undefined) {
    throw nothingToCompareError(
      repository.isShallow
        ? `Only part of the history is here, and in it HEAD and ${named} have no commit in common: fetch more of it, with git fetch --unshallow (in CI: a fetch depth of 0).`
        : `HEAD and ${named} have no commit in common.`,
    )
  }
  const description = `the commits of ${repository.branch ?? 'HEAD'} since ${named} (${base.slice(0, 7)}..${headCommit.slice(0, 7)})`
  const comparison: Comparison = {
    kind: 'commits',
    description,
    baseSha: base,
    headSha: headCommit,
  }
  return { comparison, base, headCommit, head: headCommit, edits: undefined }
}

/** A branch that was never checked out here is only known as the remote's. */
async function findBase(
  repository: LocalRepository,
  name: string,
): Promise<{ commit: string; named: string }> {
  for (const named of [name, `origin/${name}`]) {
    const commit = await repository.findCommit(named)
    if (commit !== undefined) return { commit, named }
  }
  throw nothingToCompareError(
    `There is no commit that is called ${name}: fetch it, or name another with --base.`,
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
  const will = await loadSettings(old)
  const { notes, skipped, ...sorted } = await triageFiles(diff.files, { head, base: old }, will)
  return {
    pullRequest: standInFor(repository, sides, headSha, commits, diff.files),
    headSha,
    mergeBaseSha: base,
    diff,
    ...sorted,
    skipped: [...skipped, ...(sides.edits?.unread ?? []).map(skip)],
    notes: [...will.notes, ...(await checkChangedSettings(diff.files, head)), ...notes],
    head,
    base: old,
    settings: will.settings,
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

function skip({ path, reason, matters }: UnreadFile): SkippedFile {
  return {
    path,
    reason,
    matters: matters === 'program' ? languageOfPath(path)?.type === 'programming' : matters,
  }
}

/** What a change that isn't on a platform has instead of a pull request: the words of its commits. */
function standInFor(
  repository: LocalRepository,
  { base, comparison }: Sides,
  headSha: string,
  commits: readonly CommitSummary[],
  files: readonly FileDiff[],
): PullRequest {
  const newest = commits[0]
  const at = newest?.committedAt ?? ''
  return {
    repo: basename(repository.workTree),
    number: 0,
    title: newest?.message.split('\n')[0] ?? `Local ${comparison.kind} changes`,
    body: commits.map(({ message }) => message).join('\n\n'),
    author: newest?.author ?? '',
    state: 'open',
    draft: false,
    url: '',
    head: { branch: repository.branch ?? '', sha: headSha, repo: null },
    base: { branch: '', sha: base },
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    changedFiles: files.length,
    createdAt: at,
    updatedAt: at,
    mergedAt: null,
  }
}
