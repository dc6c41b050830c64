// Loads real pull requests and their comment locations for the context benchmark.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type Change, noEarlierReviews, noOutsideContext } from '../src/domain/change.ts'
import { createGitSnapshot } from '../src/git/git-snapshot.ts'
import { readDiff } from '../src/git/mirror.ts'
import { parseDiff } from '../src/git/parse-diff.ts'
import { defaultGitRuntime, runGit } from '../src/git/run-git.ts'
import { loadSettings } from '../src/workflows/gathering/read-settings.ts'
import { triageFiles } from '../src/workflows/gathering/triage-files.ts'
import { samplePullRequest } from '../test/samples/change-of-files.ts'

const MEBIBYTE = 1024 * 1024

const commentSchema = z.object({
  path: z.string(),
  side: z.enum(['left', 'right']),
  from_line: z.number().nullable(),
  to_line: z.number(),
})

const pullRequestSchema = z.object({
  repo: z.string(),
  pr: z.number(),
  base: z.string(),
  head: z.string(),
  diff: z.enum(['base..head', 'base...head']),
  comments: z.array(commentSchema),
  definitions_elsewhere: z.array(
    z.object({
      comment_path: z.string(),
      name: z.string(),
      defined_in: z.array(z.tuple([z.string(), z.number()])),
    }),
  ),
})

/** A pull request of the comments file. */
export type CommentedPullRequest = z.infer<typeof pullRequestSchema>
export type CommentedRange = z.infer<typeof commentSchema>

/** Reads the comments file. */
export async function readCommentedPullRequests(path: string): Promise<CommentedPullRequest[]> {
  return z
    .object({ prs: z.array(pullRequestSchema) })
    .parse(JSON.parse(await readFile(path, 'utf8'))).prs
}

/** Two commits of a repository. */
export interface Comparison {
  readonly repo: string
  readonly gitDirectory: string
  readonly base: string
  readonly head: string
}

/** The path of a repository in the folder of repositories. */
export function repositoryDirectory(folder: string, repo: string): string {
  return join(folder, repo.replace('/', '+'), 'repo')
}

/** The commits that the diff of a pull request compares. */
export async function resolveComparison(
  folder: string,
  { repo, base, head, diff }: CommentedPullRequest,
): Promise<Comparison> {
  const gitDirectory = repositoryDirectory(folder, repo)
  const isMerged = diff === 'base...head'
  return {
    repo,
    gitDirectory,
    head,
    base: isMerged ? (await readGit(gitDirectory, ['merge-base', base, head])).trim() : base,
  }
}

/** Creates a change of two commits. Dispose of it, because it holds git processes. */
export async function openChange({
  repo,
  gitDirectory,
  base,
  head,
}: Comparison): Promise<Change & AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const snapshots = {
    head: stack.use(createGitSnapshot(defaultGitRuntime, gitDirectory, head)),
    base: stack.use(createGitSnapshot(defaultGitRuntime, gitDirectory, base)),
  }
  const diff = parseDiff(await readDiff(defaultGitRuntime, gitDirectory, [base, head], {}))
  const repositorySettings = await loadSettings(snapshots.base, {
    organization: null,
    draft: false,
    changed: diff.files,
  })
  const commits = await listCommits(gitDirectory, base, head)
  const resources = stack.move()
  return {
    pullRequest: describePullRequest(repo, commits[0]?.message ?? '', { base, head }),
    headSha: head,
    mergeBaseSha: base,
    diff,
    ...(await triageFiles(diff.files, snapshots, repositorySettings)),
    ...snapshots,
    settings: repositorySettings.settings,
    commits,
    issues: [],
    earlier: noEarlierReviews,
    graph: null,
    ...noOutsideContext,
    history: async () => [],
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** The commits of a change, oldest first. Empty if the repository lacks them. */
async function listCommits(
  gitDirectory: string,
  base: string,
  head: string,
): Promise<Change['commits']> {
  const args = [
    'log',
    '--reverse',
    '--max-count=50',
    '--no-merges',
    '--format=%H%x00%an%x00%cI%x00%B%x01',
    `${base}..${head}`,
  ]
  const text = await readGit(gitDirectory, args).catch(() => '')
  const records = text.split('\x01').map((record) => record.trim().split('\0'))
  return records.flatMap(([sha = '', author = '', committedAt = '', message = '']) =>
    sha === '' ? [] : [{ sha, author, committedAt, message }],
  )
}

/** The newest commits of the default branch that change at least `minFiles` files. */
export async function listLargeCommits(
  folder: string,
  repo: string,
  minFiles: number,
): Promise<Comparison[]> {
  const gitDirectory = repositoryDirectory(folder, repo)
  const args = [
    'log',
    '--first-parent',
    '--diff-merges=first-parent',
    '--no-renames',
    '--name-only',
    '--format=%x00%H %P',
  ]
  const records = (await readGit(gitDirectory, args)).split('\0').slice(1)
  return records.flatMap((record) => {
    const [commits = '', ...paths] = record.split('\n')
    const [head = '', base] = commits.split(' ')
    return base && paths.filter((path) => path !== '').length >= minFiles
      ? [{ repo, gitDirectory, base, head }]
      : []
  })
}

export async function readGit(gitDirectory: string, args: readonly string[]): Promise<string> {
  const run = { gitDirectory, args, timeoutMs: 10 * 60_000, maxBytes: 256 * MEBIBYTE }
  return (await runGit(defaultGitRuntime, run)).stdout.toString('utf8')
}

function describePullRequest(
  repo: string,
  message: string,
  { base, head }: { base: string; head: string },
): Change['pullRequest'] {
  return {
    ...samplePullRequest,
    repo,
    author: '',
    title: message.split('\n', 1)[0]!.slice(0, 200),
    head: { branch: 'change', sha: head, repo },
    base: { branch: 'main', sha: base },
  }
}
