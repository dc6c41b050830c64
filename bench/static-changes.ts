// Real changes out of the history of bare repositories: each as if it were a pull request on the commit before.
import { access, readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Diff } from '../src/domain/diff.ts'
import type { Change } from '../src/reviewers/reviewer.ts'
import { sortFiles } from '../src/workflows/gathering/sort-files.ts'
import { classifyFile } from '../src/workspace/classify-file.ts'
import { parseDiff } from '../src/workspace/diff.ts'
import { diffArgs } from '../src/workspace/git.ts'
import { createGitSnapshot } from '../src/workspace/git-snapshot.ts'
import { languageOfPath } from '../src/workspace/languages.ts'
import { defaultGitHost, type GitHost, runGit } from '../src/workspace/run-git.ts'
import { bareChange, samplePullRequest } from '../test/samples/change-of-files.ts'

/** More is an import or a move of code, which nobody reads as one change. */
const mostAddedLines = 2_000

const MEBIBYTE = 1024 * 1024

/** A bare repository; `name` is its place in the folder that was given. */
export interface Repository {
  readonly name: string
  readonly gitDirectory: string
}

/** A commit and the one before it on the same branch. */
interface CommitPair {
  readonly head: string
  readonly base: string
}

/** The bare repositories in a folder and in its subfolders, two levels deep, by name. */
export async function findRepositories(folder: string): Promise<Repository[]> {
  const found: Repository[] = []
  const visit = async (directory: string, depth: number): Promise<void> => {
    if (await isBareRepository(directory)) {
      found.push({ name: relative(folder, directory), gitDirectory: directory })
      return
    }
    if (depth === 0) return
    const entries = await readdir(directory, { withFileTypes: true })
    for (const entry of entries) if (entry.isDirectory()) await visit(join(directory, entry.name), depth - 1)
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
 * The newest changes of the default branch that touch source files, newest first, gathered as for a review: each is a
 * commit against its first parent, so that a merged pull request is one change, merged or squashed. Those that add no
 * line or more than 2,000 to source files are left out, and so are those whose objects the repository lacks. Each is
 * disposed of when the next is taken.
 */
export async function* readChanges(repository: Repository, host: GitHost = defaultGitHost): AsyncGenerator<Change> {
  for (const commits of await listCommits(repository)) {
    const diff = await readDiff(repository, commits)
    if (!diff) continue
    await using head = createGitSnapshot(host, repository.gitDirectory, commits.head)
    await using base = createGitSnapshot(host, repository.gitDirectory, commits.base)
    yield {
      ...bareChange,
      pullRequest: pullRequestOf(repository.name, commits),
      headSha: commits.head,
      mergeBaseSha: commits.base,
      diff,
      ...(await sortFiles(diff.files, { head, base })),
      notes: [],
      head,
      base,
    }
  }
}

/** The newest commits that touch source files. */
async function listCommits({ gitDirectory }: Repository): Promise<CommitPair[]> {
  const { stdout } = await runGit(defaultGitHost, {
    gitDirectory,
    args: ['log', '--first-parent', '--diff-merges=first-parent', '--no-renames', '--name-only', '--format=%x00%H %P'],
    timeoutMs: 10 * 60_000,
    maxBytes: 4 * MEBIBYTE,
  })
  const records = stdout.toString('utf8').split('\0').slice(1, -1)
  return records.flatMap((record) => {
    const [commits = '', ...paths] = record.split('\n')
    const [head = '', base] = commits.split(' ')
    return base && paths.some(isSource) ? [{ head, base }] : []
  })
}

function isSource(path: string): boolean {
  return classifyFile(path).kind === 'source' && languageOfPath(path)?.type === 'programming'
}

async function readDiff({ gitDirectory }: Repository, { base, head }: CommitPair): Promise<Diff | undefined> {
  const args = [...diffArgs, base, head]
  const run = { gitDirectory, args, timeoutMs: 60_000, maxBytes: 50 * MEBIBYTE }
  // The copy of a repository may lack objects of its past.
  const outcome = await runGit(defaultGitHost, run).catch(() => undefined)
  const diff = outcome && parseDiff(outcome.stdout)
  const source = (diff?.files ?? []).filter(({ path }) => isSource(path))
  const added = source.reduce((sum, { additions }) => sum + additions, 0)
  return added >= 1 && added <= mostAddedLines ? diff : undefined
}

function pullRequestOf(repo: string, commits: CommitPair): Change['pullRequest'] {
  return {
    ...samplePullRequest,
    repo,
    title: '',
    head: { branch: 'change', sha: commits.head, repo },
    base: { branch: 'main', sha: commits.base },
  }
}
