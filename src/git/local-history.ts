// Lists commits of a local repository with author, date and message.
import type { CommitSummary } from '../domain/pull-request.ts'
import type { LocalRepository } from './local-repository.ts'
import { pathToBytes } from './path-encoding.ts'
import { runGit } from './run-git.ts'

const QUERY_MS = 30_000
const maxBytes = 4 * 1024 * 1024
const maxMessageLength = 10_000

/** The newest `limit` commits of `head` that `base` doesn't contain and that change `path`. */
interface HistoryQuery {
  readonly head: string
  readonly base?: string
  readonly path?: string
  readonly limit: number
}

/** Lists the commits, newest first; a shallow clone may lack older ones. */
export async function listCommits(
  { runtime, gitDirectory }: LocalRepository,
  { head, base, path, limit }: HistoryQuery,
  signal: AbortSignal,
): Promise<readonly CommitSummary[]> {
  // Arguments must be text, so a path that isn't UTF-8 can't be passed to git.
  if (path !== undefined && !pathToBytes(path).equals(Buffer.from(path))) return []
  const { stdout } = await runGit(runtime, {
    gitDirectory,
    // `git log` is avoided, because settings can make it run a program that checks signatures.
    args: [
      'rev-list',
      `--max-count=${limit}`,
      '--format=%H%x00%an%x00%cI%x00%B%x00',
      '--end-of-options',
      head,
      ...(base === undefined ? [] : [`^${base}`]),
      '--',
      ...(path === undefined ? [] : [path]),
    ],
    timeoutMs: QUERY_MS,
    maxBytes,
    signal,
  })
  const fields = stdout.toString('utf8').split('\0')
  const commits: CommitSummary[] = []
  for (let index = 0; index + 3 < fields.length; index += 4) {
    const [shaLines = '', author = '', committedAt = '', message = ''] = fields.slice(
      index,
      index + 4,
    )
    // rev-list prints a line `commit <sha>` before each formatted one.
    const sha = shaLines.slice(shaLines.lastIndexOf('\n') + 1)
    commits.push({
      sha,
      author,
      message: message.trim().slice(0, maxMessageLength),
      committedAt,
    })
  }
  return commits
}
