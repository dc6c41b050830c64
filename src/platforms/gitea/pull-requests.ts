// Reads pull requests, their diffs and changed files.
import { z } from 'zod'
import type { HostCall } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { send, sendForJson } from '../http/request.ts'
import type { Access, ListedFile, ListedPullRequest } from '../platform.ts'
import { maxPageSize } from './request-rules.ts'

/** The server lists all; larger changes are read through git. */
export const maxListedFiles = 3000
const maxDiffBytes = 64 * 2 ** 20
const maxListedPullRequests = 1000

const pullRequest = z.object({
  number: z.int(),
  title: z.string(),
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullish(),
  labels: z.array(z.object({ name: z.string() })).catch([]),
  state: z.string(),
  merged_at: z.string().nullish(),
  draft: z.boolean().nullish(),
  html_url: z.string(),
  head: z.object({
    ref: z.string(),
    sha: z.string(),
    repo: z.object({ full_name: z.string() }).nullish(),
  }),
  base: z.object({ ref: z.string(), sha: z.string() }),
  merge_base: z.string().catch(''),
  additions: z.int().catch(0),
  deletions: z.int().catch(0),
  changed_files: z.int().catch(0),
  created_at: z.string(),
  updated_at: z.string(),
})

const listedFile = z.object({
  filename: z.string(),
  previous_filename: z.string().nullish(),
  status: z.string(),
  additions: z.int(),
  deletions: z.int(),
})

/** GET /repos/{owner}/{repo}/pulls/{number}. Nothing shows which accounts are bots. */
export const getPullRequest: HostCall<'getPullRequest'> = async (
  connection,
  access,
  number,
  signal,
) => {
  const call = buildRepositoryCall(access, `/pulls/${number}`, signal)
  const fields = await sendForJson(connection, call, pullRequest)
  return {
    ...toListedPullRequest(access, fields),
    body: fields.body ?? '',
    author: fields.user?.login ?? 'Ghost',
    isByBot: false,
    labels: fields.labels.map(({ name }) => name),
    url: fields.html_url,
    additions: fields.additions,
    deletions: fields.deletions,
    changedFiles: fields.changed_files,
  }
}

/** GET /repos/{owner}/{repo}/pulls in the order of changes. */
export const listPullRequests: HostCall<'listPullRequests'> = async (
  connection,
  access,
  updatedSince,
  signal,
) => {
  const listed = new Map<number, ListedPullRequest>()
  const call = buildRepositoryCall(access, '/pulls?state=all&sort=recentupdate', signal)
  // Times are in seconds here.
  const since = Math.floor(updatedSince.getTime() / 1000) * 1000
  for await (const fields of readPages(connection, call, pullRequest, maxPageSize)) {
    if (Date.parse(fields.updated_at) < since || listed.size === maxListedPullRequests) break
    // A change moves others to the next page, where they are listed again.
    if (!listed.has(fields.number)) listed.set(fields.number, toListedPullRequest(access, fields))
  }
  return [...listed.values()]
}

/** The state is `closed` for merged pull requests too. */
function toListedPullRequest(
  { repo }: Access,
  fields: z.output<typeof pullRequest>,
): ListedPullRequest {
  const { head, base } = fields
  const unmergedState = fields.state === 'closed' ? 'closed' : 'open'
  // A push to `refs/for/` opens a pull request without write permission. It has no branch, and the
  // server names the repository itself as its source.
  const headRepo = head.ref.startsWith('refs/') ? null : (head.repo?.full_name ?? null)
  // The base is the tip of its branch, which contains the head once that was merged.
  const baseSha = (fields.merged_at && fields.merge_base) || base.sha
  return {
    repo,
    number: fields.number,
    title: fields.title,
    state: fields.merged_at ? 'merged' : unmergedState,
    draft: fields.draft ?? false,
    head: { branch: head.ref, sha: head.sha, repo: headRepo },
    base: { branch: base.ref, sha: baseSha },
    createdAt: fields.created_at,
    updatedAt: fields.updated_at,
    mergedAt: fields.merged_at ?? null,
  }
}

/** GET /repos/{owner}/{repo}/pulls/{number}.diff. */
export const getDiff: HostCall<'getDiff'> = async (connection, access, number, signal) => {
  const rest = { accept: 'text/plain', maxBytes: maxDiffBytes }
  const call = buildRepositoryCall(access, `/pulls/${number}.diff`, signal, rest)
  return (await send(connection, call)).body.toString('utf8')
}

/** GET /repos/{owner}/{repo}/pulls/{number}/files over all pages, up to `maxListedFiles`. */
export const listFiles: HostCall<'listFiles'> = async (connection, access, number, signal) => {
  const files: ListedFile[] = []
  const call = buildRepositoryCall(access, `/pulls/${number}/files`, signal)
  for await (const file of readPages(connection, call, listedFile, maxPageSize)) {
    files.push({
      path: file.filename,
      oldPath: file.previous_filename || file.filename,
      status: toFileStatus(file.status),
      additions: file.additions,
      deletions: file.deletions,
    })
    if (files.length === maxListedFiles) break
  }
  return files
}

/** The server also has `changed` (a modified file) and `unchanged` (a binary one). */
function toFileStatus(status: string): ListedFile['status'] {
  const isKnown =
    status === 'added' || status === 'deleted' || status === 'renamed' || status === 'copied'
  return isKnown ? status : 'modified'
}
