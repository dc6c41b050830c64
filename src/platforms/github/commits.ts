// Reads the commits of a pull request and the commits that changed a file.
import { z } from 'zod'
import type { CommitSummary } from '../../domain/pull-request.ts'
import { commit, maxCommits } from '../http/commits.ts'
import type { HostCall } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { sendForJson } from '../http/request.ts'

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
