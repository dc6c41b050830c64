// Reads commits of a local repository: who, when, and what they said.
import type { CommitSummary } from '../domain/pull-request.ts'
import type { LocalRepository } from './local-repository.ts'
import { pathToBytes } from './path-encoding.ts'
import { runGit } from './run-git.ts'

const QUERY_MS = 30_000
const maxBytes = 4 * 1024 * 1024
const maxMessageLength = 10_000

/** Which commits: those of `head` that aren't of `base`, and that touch `path`; the newest `limit`. */
export interface HistoryQuery {
  readonly head: string
  readonly base?: string
  readonly path?: string
  readonly limit: number
}

/** The commits that the repository has here, newest first. */
export async function listCommits(
  { runtime: host, gitDirectory }: LocalRepository,
  { head, base, path, limit }: HistoryQuery,
  signal: AbortSignal,
): Promise<readonly CommitSummary[]> {
  // Arguments can only be text.
  if (path !== undefined && !pathToBytes(path).equals(Buffer.from(path))) return []
  const { stdout } = await runGit(host, {
    gitDirectory,
    // Not `git log`: its settings can have it run a program to check signatures.
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
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [sha = '', author = '', committedAt = '', message = ''] = fields.slice(at, at + 4)
    // A line that names the commit comes before what the format says.
    commits.push({
      sha: sha.slice(sha.lastIndexOf('\n') + 1),
      author,
      message: message.trim().slice(0, maxMessageLength),
      committedAt,
    })
  }
  return commits
}
