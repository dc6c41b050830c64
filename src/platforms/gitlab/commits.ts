// Reads the commits of a merge request and the commits that changed a file.
import { z } from 'zod'
import type { CommitSummary } from '../../domain/pull-request.ts'
import type { HostCall } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import { encodeRef } from '../http/repository-calls.ts'
import { send, sendForJson } from '../http/request.ts'
import { buildProjectCall } from './project-calls.ts'

const maxMessageLength = 10_000
const maxCommits = 100

/** Commits name no accounts. */
const commit = z
  .object({
    id: z.string(),
    author_name: z.string().catch(''),
    message: z.string().catch(''),
    committed_date: z.string().catch(''),
  })
  .transform(
    (fields): CommitSummary => ({
      sha: fields.id,
      author: fields.author_name,
      message: fields.message.slice(0, maxMessageLength).trimEnd(),
      committedAt: toUtc(fields.committed_date),
    }),
  )

/** GitLab writes these times in the time zone of the commit. */
function toUtc(text: string): string {
  const time = Date.parse(text)
  return Number.isNaN(time) ? '' : new Date(time).toISOString()
}

/** GET /projects/{id}/merge_requests/{iid}/commits, the newest first. */
export const listPullRequestCommits: HostCall<'listPullRequestCommits'> = async (
  connection,
  access,
  number,
  signal,
) => {
  const commits: CommitSummary[] = []
  const call = buildProjectCall(access, `/merge_requests/${number}/commits`, signal)
  for await (const one of readPages(connection, call, commit)) {
    commits.push(one)
    if (commits.length === maxCommits) break
  }
  return commits.reverse()
}

/** GET /projects/{id}/repository/commits with a path, which lists the newest commits first. */
export const listFileCommits: HostCall<'listFileCommits'> = async (
  connection,
  access,
  { path, ref, limit },
  signal,
) => {
  const query = new URLSearchParams({
    ref_name: ref,
    path: path.toWellFormed(),
    per_page: String(Math.min(Math.max(1, Math.trunc(limit)), maxCommits)),
  })
  const call = buildProjectCall(access, `/repository/commits?${query}`, signal)
  const commits = await sendForJson(connection, call, z.array(commit))
  // The list is empty for an unknown branch too; then this call fails.
  if (commits.length === 0)
    await send(
      connection,
      buildProjectCall(access, `/repository/commits/${encodeRef(ref)}`, signal),
    )
  return commits
}
