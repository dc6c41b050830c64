// Reads pull requests, their diffs and changed files.
import type { HostCall } from '../http/connection.ts'
import {
  createListFiles,
  type PullRequestFields,
  pullRequest,
  readDiff,
  takeChangedSince,
  toListedPullRequest,
  toPullRequest,
} from '../http/pull-requests.ts'
import { readPages } from '../http/read-pages.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { sendForJson } from '../http/request.ts'
import type { Access, ListedPullRequest } from '../platform.ts'
import { maxPageSize } from './request-rules.ts'

/** GET /repos/{owner}/{repo}/pulls/{number}. Nothing shows which accounts are bots. */
export const getPullRequest: HostCall<'getPullRequest'> = async (
  connection,
  access,
  number,
  signal,
) => {
  const call = buildRepositoryCall(access, `/pulls/${number}`, signal)
  const fields = await sendForJson(connection, call, pullRequest)
  return { ...toPullRequest(toListed(access, fields), fields, 'Ghost'), isByBot: false }
}

/** GET /repos/{owner}/{repo}/pulls in the order of changes. */
export const listPullRequests: HostCall<'listPullRequests'> = async (
  connection,
  access,
  updatedSince,
  signal,
) => {
  const call = buildRepositoryCall(access, '/pulls?state=all&sort=recentupdate', signal)
  const pages = readPages(connection, call, pullRequest, maxPageSize)
  // Times are in seconds here.
  const since = new Date(Math.floor(updatedSince.getTime() / 1000) * 1000)
  return takeChangedSince(pages, since, (fields) => toListed(access, fields))
}

function toListed(access: Access, fields: PullRequestFields): ListedPullRequest {
  const listed = toListedPullRequest(access, fields)
  const { head, base } = listed
  // A push to `refs/for/` opens a pull request without write permission. It has no branch, and the
  // server names the repository itself as its source.
  const repo = head.branch.startsWith('refs/') ? null : head.repo
  // The base is the tip of its branch, which contains the head once that was merged.
  const baseSha = (fields.merged_at && fields.merge_base) || base.sha
  return { ...listed, head: { ...head, repo }, base: { ...base, sha: baseSha } }
}

/** GET /repos/{owner}/{repo}/pulls/{number}.diff. */
export const getDiff: HostCall<'getDiff'> = async (connection, access, number, signal) => {
  const rest = { accept: 'text/plain' }
  return readDiff(connection, buildRepositoryCall(access, `/pulls/${number}.diff`, signal, rest))
}

export const listFiles = createListFiles(maxPageSize)
