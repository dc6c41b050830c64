// Reads pull requests: themselves, their diff, their files, and where they left the base.
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type { PullRequest } from '../../domain/pull-request.ts'
import type { Access, ListedFile } from '../platform.ts'
import { longItemPageSize, readPages } from './read-pages.ts'
import { buildRepositoryCall, encodeRef } from './repository-calls.ts'
import { type Connection, send, sendForJson } from './request.ts'

/** GitHub shows no more of a pull request's files than this. */
export const maxListedFiles = 3000
const maxDiffBytes = 64 * 2 ** 20

const pullRequest = z.object({
  number: z.int(),
  title: z.string(),
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullish(),
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
export async function getPullRequest(
  connection: Connection,
  access: Access,
  number: number,
  signal?: AbortSignal,
): Promise<PullRequest> {
  const fields = await sendForJson(
    connection,
    buildRepositoryCall(access, `/pulls/${number}`, signal),
    pullRequest,
  )
  return {
    repo: access.repo,
    number: fields.number,
    title: fields.title,
    body: fields.body ?? '',
    author: fields.user?.login ?? 'ghost',
    state: fields.merged_at ? 'merged' : fields.state === 'closed' ? 'closed' : 'open',
    draft: fields.draft ?? false,
    url: fields.html_url,
    head: {
      branch: fields.head.ref,
      sha: fields.head.sha,
      repo: fields.head.repo?.full_name ?? null,
    },
    base: { branch: fields.base.ref, sha: fields.base.sha },
    additions: fields.additions,
    deletions: fields.deletions,
    changedFiles: fields.changed_files,
    createdAt: fields.created_at,
    updatedAt: fields.updated_at,
    mergedAt: fields.merged_at ?? null,
  }
}

/** The same address in its diff form: merge base to head, at most 300 files and 20,000 lines (else 406). */
export async function getDiff(
  connection: Connection,
  access: Access,
  number: number,
  signal?: AbortSignal,
): Promise<string> {
  const accept = 'application/vnd.github.diff'
  const call = buildRepositoryCall(access, `/pulls/${number}`, signal, {
    accept,
    maxBytes: maxDiffBytes,
  })
  return (await send(connection, call)).body.toString('utf8')
}

/**
 * GET /repos/{owner}/{repo}/compare/{base}...{head}. The second page has no list of files, which spares the platform
 * the diff; where it tries to make one all the same and fails, that is worth another try, and no matter of size.
 */
export async function getMergeBase(
  connection: Connection,
  access: Access,
  base: string,
  head: string,
  signal?: AbortSignal,
): Promise<string> {
  const path = `/compare/${encodeRef(base)}...${encodeRef(head)}?per_page=1&page=2`
  const comparison = z.object({ merge_base_commit: z.object({ sha: z.string() }) })
  const call = buildRepositoryCall(access, path, signal, { maxBytes: maxDiffBytes })
  try {
    return (await sendForJson(connection, call, comparison)).merge_base_commit.sha
  } catch (error) {
    if (
      !(error instanceof PlatformError && error.code === 'platform_too_large' && error.status > 0)
    )
      throw error
    throw new PlatformError('platform_unavailable', error.message, {
      status: error.status,
      cause: error,
    })
  }
}

/** GET /repos/{owner}/{repo}/pulls/{number}/files, all pages that there are. */
export async function listFiles(
  connection: Connection,
  access: Access,
  number: number,
  signal?: AbortSignal,
): Promise<readonly ListedFile[]> {
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

/** `changed` is a change of mode, `unchanged` one that was taken back. */
function toFileStatus(status: string): ListedFile['status'] {
  if (status === 'removed') return 'deleted'
  return status === 'added' || status === 'renamed' || status === 'copied' ? status : 'modified'
}
