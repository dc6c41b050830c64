// Reads real changes from the history of bare repositories, each compared to its parent.
import { access, readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { classifyFile } from '../src/code/classify-file.ts'
import type { Change } from '../src/domain/change.ts'
import type { Diff } from '../src/domain/diff.ts'
import { createGitSnapshot } from '../src/git/git-snapshot.ts'
import { readDiff } from '../src/git/mirror.ts'
import { parseDiff } from '../src/git/parse-diff.ts'
import { defaultGitRuntime, type GitRuntime, runGit } from '../src/git/run-git.ts'
import { languageOfPath } from '../src/languages/linguist.ts'
import { loadSettings } from '../src/workflows/gathering/read-settings.ts'
import { triageFiles } from '../src/workflows/gathering/triage-files.ts'
import { addedFiles, bareChange, samplePullRequest } from '../test/samples/change-of-files.ts'

/** Larger changes are imports or moves of code, not typical pull requests. */
const maxAddedLines = 2_000

const MEBIBYTE = 1024 * 1024

/** A bare repository; `name` is its path in the given folder. */
export interface Repository {
  readonly name: string
  readonly gitDirectory: string
}

/** A commit and its parent on the same branch. */
interface CommitPair {
  readonly head: string
  readonly base: string
}

/** Bare repositories in a folder, up to two levels deep, sorted by name. */
export async function findRepositories(folder: string): Promise<Repository[]> {
  const found: Repository[] = []
  const visit = async (directory: string, depth: number): Promise<void> => {
    if (await isBareRepository(directory)) {
      found.push({ name: relative(folder, directory), gitDirectory: directory })
      return
    }
    if (depth === 0) return
    const entries = await readdir(directory, { withFileTypes: true })
    for (const entry of entries)
      if (entry.isDirectory()) await visit(join(directory, entry.name), depth - 1)
  }
  await visit(folder, 2)
  return found.sort((one, other) => (one.name < other.name ? -1 : 1))
}

async function isBareRepository(directory: string): Promise<boolean> {
  const parts = ['HEAD', 'objects', 'refs'].map((name) => access(join(directory, name)))
  return Promise.all(parts).then(
    () => true,
    () => false,
  )
}

/**
 * Yields changes of the default branch to source files, newest first. Each is a commit compared to
 * its first parent, so that a merged pull request is one change. Skips changes that add no lines or
 * more than 2,000 lines to source files, and changes with missing objects. Each change is disposed
 * of when the next one is requested.
 */
export async function* readChanges(
  repository: Repository,
  host: GitRuntime = defaultGitRuntime,
): AsyncGenerator<Change> {
  for (const { subject: _, paths, ...commits } of await listCommits(repository)) {
    if (!paths.some(isSource)) continue
    const diff = await readParsedDiff(repository, commits)
    if (!diff || !isHumanSized(diff)) continue
    await using sides = openSnapshots(host, repository, commits)
    yield {
      ...describeChange(repository, commits, diff, sides),
      ...(await triageFiles(diff.files, sides)),
      notes: [],
    }
  }
}

/**
 * Yields merged pull requests of the default branch, newest first, with the settings and attributes
 * of their base. They are recognized by the number in the commit subject. Each is disposed of when
 * the next one is requested.
 */
export async function* readMergedPullRequests(
  repository: Repository,
  host: GitRuntime = defaultGitRuntime,
): AsyncGenerator<Change> {
  for (const { subject, paths: _, ...commits } of await listCommits(repository)) {
    if (!/\(#\d+\)$|^Merge pull request #\d+/.test(subject)) continue
    const diff = await readParsedDiff(repository, commits)
    if (!diff || diff.files.length === 0) continue
    await using sides = openSnapshots(host, repository, commits)
    const will = await loadSettings(sides.base, {
      organization: null,
      draft: false,
      changed: diff.files,
    })
    const change = describeChange(repository, commits, diff, sides)
    yield {
      ...change,
      ...(await triageFiles(diff.files, sides, will)),
      settings: will.settings,
      notes: [],
    }
  }
}

/**
 * Yields the source files of the newest commit, 50 at a time, as changes that add them: all lines
 * are read by the rules. Each change is disposed of when the next one is requested.
 */
export async function* readWholeFiles(
  repository: Repository,
  host: GitRuntime = defaultGitRuntime,
): AsyncGenerator<Change> {
  await using head = createGitSnapshot(host, repository.gitDirectory, await readHead(repository))
  const paths = (await head.listFiles())
    .filter(({ kind }) => kind === 'file')
    .map((file) => file.path)
  const sources = paths.filter(isSource)
  for (let start = 0; start < sources.length; start += 50) {
    const texts: Record<string, string> = {}
    for (const path of sources.slice(start, start + 50)) {
      const bytes = await head.readFile(path).catch(() => undefined)
      if (bytes !== undefined) texts[path] = new TextDecoder().decode(bytes)
    }
    const change = addedFiles(texts)
    yield {
      ...change,
      pullRequest: { ...change.pullRequest, repo: repository.name },
      headSha: head.sha,
      head,
    }
  }
}

async function readHead({ gitDirectory }: Repository): Promise<string> {
  const args = ['rev-parse', 'HEAD']
  const { stdout } = await runGit(defaultGitRuntime, { gitDirectory, args, timeoutMs: 60_000 })
  return stdout.toString('utf8').trim()
}

function openSnapshots(host: GitRuntime, { gitDirectory }: Repository, commits: CommitPair) {
  const head = createGitSnapshot(host, gitDirectory, commits.head)
  const base = createGitSnapshot(host, gitDirectory, commits.base)
  const close = async () => {
    await Promise.all([head[Symbol.asyncDispose](), base[Symbol.asyncDispose]()])
  }
  return { head, base, [Symbol.asyncDispose]: close }
}

function describeChange(
  { name }: Repository,
  commits: CommitPair,
  diff: Diff,
  { head, base }: ReturnType<typeof openSnapshots>,
) {
  const pullRequest = createPullRequest(name, commits)
  return {
    ...bareChange,
    pullRequest,
    headSha: commits.head,
    mergeBaseSha: commits.base,
    diff,
    head,
    base,
  }
}

interface ListedCommit extends CommitPair {
  readonly subject: string
  readonly paths: readonly string[]
}

/** All commits of the default branch with a parent, newest first. */
async function listCommits({ gitDirectory }: Repository): Promise<ListedCommit[]> {
  const { stdout } = await runGit(defaultGitRuntime, {
    gitDirectory,
    args: [
      'log',
      '--first-parent',
      '--diff-merges=first-parent',
      '--no-renames',
      '--name-only',
      '--format=%x00%H %P%n%s',
    ],
    timeoutMs: 10 * 60_000,
    maxBytes: 4 * MEBIBYTE,
  })
  const records = stdout.toString('utf8').split('\0').slice(1, -1)
  return records.flatMap((record) => {
    const [commits = '', subject = '', ...paths] = record.split('\n')
    const [head = '', base] = commits.split(' ')
    return base ? [{ head, base, subject, paths }] : []
  })
}

function isSource(path: string): boolean {
  return classifyFile(path).kind === 'source' && languageOfPath(path)?.type === 'programming'
}

async function readParsedDiff(
  { gitDirectory }: Repository,
  { base, head }: CommitPair,
): Promise<Diff | undefined> {
  // Shallow copies may lack objects of old commits.
  const raw = await readDiff(defaultGitRuntime, gitDirectory, [base, head], {}).catch(() => null)
  return raw === null ? undefined : parseDiff(raw)
}

/** Whether the change adds a reviewable number of lines to source files. */
function isHumanSized({ files }: Diff): boolean {
  const added = files
    .filter(({ path }) => isSource(path))
    .reduce((sum, { additions }) => sum + additions, 0)
  return added >= 1 && added <= maxAddedLines
}

function createPullRequest(repo: string, commits: CommitPair): Change['pullRequest'] {
  return {
    ...samplePullRequest,
    repo,
    title: '',
    head: { branch: 'change', sha: commits.head, repo },
    base: { branch: 'main', sha: commits.base },
  }
}
