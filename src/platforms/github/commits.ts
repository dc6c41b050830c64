// Reads the commits of a pull request and the commits that changed a file.
import { z } from 'zod'
import type { CommitSummary } from '../../domain/pull-request.ts'
import type { HostCall } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { sendForJson } from '../http/request.ts'

const maxMessageLength = 10_000
const maxCommits = 100

const signature = z.object({ name: z.string().catch(''), date: z.string().catch('') }).nullish()

const commit = z
  .object({
    sha: z.string(),
    author: z.object({ login: z.string() }).nullish().catch(null),
    commit: z.object({ message: z.string(), author: signature, committer: signature }),
  })
  .transform(
    ({ sha, author, commit }): CommitSummary => ({
      sha,
      author: author?.login ?? commit.author?.name ?? '',
      message: commit.message.slice(0, maxMessageLength),
      committedAt: commit.committer?.date ?? '',
    }),
  )

/**
 * GET /repos/{owner}/{repo}/pulls/{number}/commits, which lists up to 250 commits, oldest first.
 */
export const listPullRequestCommits: HostCall<'listPullRequestCommits'> = async (
  connection,
  access,
  number,
  signal,
) => {
  const commits: CommitSummary[] = []
  const call = buildRepositoryCall(access, `/pulls/${number}/commits`, signal)
  for await (const entry of readPages(connection, call, commit)) {
    commits.push(entry)
    if (commits.length > maxCommits) commits.shift()
  }
  return commits
}

/** GET /repos/{owner}/{repo}/commits with a path, which lists the newest commits first. */
export const listFileCommits: HostCall<'listFileCommits'> = async (
  connection,
  access,
  { path, ref, limit },
  signal,
) => {
  const perPage = Math.min(Math.max(1, Math.trunc(limit)), maxCommits)
  const query = new URLSearchParams({
    sha: ref,
    path: path.toWellFormed(),
    per_page: String(perPage),
  })
  return sendForJson(
    connection,
    buildRepositoryCall(access, `/commits?${query}`, signal),
    z.array(commit),
  )
}
