// Reads pull requests, their diffs, changed files and merge bases.
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type { HostCall } from '../http/connection.ts'
import { longItemPageSize, readPages } from '../http/read-pages.ts'
import { buildRepositoryCall, encodeRef } from '../http/repository-calls.ts'
import { send, sendForJson } from '../http/request.ts'
import type { Access, ListedFile, ListedPullRequest } from '../platform.ts'

/** GitHub lists no more files of a pull request. */
export const maxListedFiles = 3000
const maxDiffBytes = 64 * 2 ** 20
const maxListedPullRequests = 1000
/** An unchanged page costs nothing if it fits in the cache, and GitHub writes 20 KB about each. */
const changesPageSize = 10

const pullRequest = z.object({
  number: z.int(),
  title: z.string(),
  body: z.string().nullish(),
  user: z.object({ login: z.string(), type: z.string().catch('') }).nullish(),
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
  additions: z.int().catch(0),
  deletions: z.int().catch(0),
  changed_files: z.int().catch(0),
  created_at: z.string(),
  updated_at: z.string(),
})

const listedFile = z.object({
  filename: z.string(),
  previous_filename: z.string().optional(),
  status: z.string(),
  additions: z.int(),
  deletions: z.int(),
})

/** GET /repos/{owner}/{repo}/pulls/{number}. */
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
    author: fields.user?.login ?? 'ghost',
    isByBot: fields.user?.type === 'Bot',
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
  const path = '/pulls?state=all&sort=updated&direction=desc'
  const call = buildRepositoryCall(access, path, signal)
  for await (const fields of readPages(connection, call, pullRequest, changesPageSize)) {
    if (new Date(fields.updated_at) < updatedSince || listed.size === maxListedPullRequests) break
    // A change moves others to the next page, where they are listed again.
    if (!listed.has(fields.number)) listed.set(fields.number, toListedPullRequest(access, fields))
  }
  return [...listed.values()]
}

/** GitHub answers `closed` for merged pull requests too. */
function toListedPullRequest(
  { repo }: Access,
  fields: z.output<typeof pullRequest>,
): ListedPullRequest {
  const { head, base } = fields
  const unmergedState = fields.state === 'closed' ? 'closed' : 'open'
  return {
    repo,
    number: fields.number,
    title: fields.title,
    state: fields.merged_at ? 'merged' : unmergedState,
    draft: fields.draft ?? false,
    head: { branch: head.ref, sha: head.sha, repo: head.repo?.full_name ?? null },
    base: { branch: base.ref, sha: base.sha },
    createdAt: fields.created_at,
    updatedAt: fields.updated_at,
    mergedAt: fields.merged_at ?? null,
  }
}

/**
 * GET /repos/{owner}/{repo}/pulls/{number} as a diff: 300 files and 20,000 lines at most, else 406.
 */
export const getDiff: HostCall<'getDiff'> = async (connection, access, number, signal) => {
  const accept = 'application/vnd.github.diff'
  const call = buildRepositoryCall(access, `/pulls/${number}`, signal, {
    accept,
    maxBytes: maxDiffBytes,
  })
  return (await send(connection, call)).body.toString('utf8')
}

/**
 * GET /repos/{owner}/{repo}/compare/{base}...{head}. Requests the second page, because only the
 * first one contains the diff. When GitHub fails to build a diff nevertheless, the call may be
 * repeated.
 */
export const getMergeBase: HostCall<'getMergeBase'> = async (
  connection,
  access,
  base,
  head,
  signal,
) => {
  const path = `/compare/${encodeRef(base)}...${encodeRef(head)}?per_page=1&page=2`
  const comparison = z.object({ merge_base_commit: z.object({ sha: z.string() }) })
  const call = buildRepositoryCall(access, path, signal, { maxBytes: maxDiffBytes })
  try {
    return (await sendForJson(connection, call, comparison)).merge_base_commit.sha
  } catch (error) {
    if (!isDiffFailure(error)) throw error
    const { message, status } = error
    throw new PlatformError('platform_unavailable', message, { status, cause: error })
  }
}

/** An answer that is too long for us has status 0. */
function isDiffFailure(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.code === 'platform_too_large' && error.status > 0
}

/** GET /repos/{owner}/{repo}/pulls/{number}/files over all pages, up to `maxListedFiles`. */
export const listFiles: HostCall<'listFiles'> = async (connection, access, number, signal) => {
  const files: ListedFile[] = []
  const call = buildRepositoryCall(access, `/pulls/${number}/files`, signal)
  for await (const file of readPages(connection, call, listedFile, longItemPageSize)) {
    files.push({
      path: file.filename,
      oldPath: file.previous_filename ?? file.filename,
      status: toFileStatus(file.status),
      additions: file.additions,
      deletions: file.deletions,
    })
    if (files.length === maxListedFiles) break
  }
  return files
}

/** GitHub also has `changed` (a change of mode) and `unchanged` (a reverted one). */
function toFileStatus(status: string): ListedFile['status'] {
  if (status === 'removed') return 'deleted'
  return status === 'added' || status === 'renamed' || status === 'copied' ? status : 'modified'
}
