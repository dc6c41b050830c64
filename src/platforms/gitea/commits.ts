// Reads the commits of a pull request, those that changed a file, and merge bases.
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type { CommitSummary } from '../../domain/pull-request.ts'
import { commit, maxCommits } from '../http/commits.ts'
import type { Connection, HostCall } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import { buildRepositoryCall, encodeRef } from '../http/repository-calls.ts'
import { sendForJson } from '../http/request.ts'
import type { Access } from '../platform.ts'
import { maxPageSize } from './request-rules.ts'

const maxComparisonBytes = 64 * 2 ** 20
/** Leaves out what takes the server long to find out. */
const brief = 'stat=false&files=false&verification=false'

/** GET /repos/{owner}/{repo}/pulls/{number}/commits, which lists the newest first. */
export const listPullRequestCommits: HostCall<'listPullRequestCommits'> = async (
  connection,
  access,
  number,
  signal,
) => {
  const path = `/pulls/${number}/commits?${brief}`
  return (await listCommits(connection, { access, path, limit: maxCommits }, signal)).reverse()
}

/**
 * GET /repos/{owner}/{repo}/commits with a path. A path that no commit has isn't found, and the
 * server fails for an unknown branch.
 */
export const listFileCommits: HostCall<'listFileCommits'> = async (
  connection,
  access,
  { path: file, ref, limit },
  signal,
) => {
  const query = new URLSearchParams({ sha: ref, path: file.toWellFormed() })
  const path = `/commits?${query}&${brief}`
  const list = { access, path, limit: Math.min(Math.max(1, Math.trunc(limit)), maxCommits) }
  try {
    return await listCommits(connection, list, signal)
  } catch (error) {
    const isUnknownPath =
      error instanceof PlatformError &&
      error.code === 'platform_not_found' &&
      /FileCommitsCount/.test(error.message)
    if (isUnknownPath) return []
    if (error instanceof PlatformError && error.status === 500)
      await findCommit(connection, access, ref, signal)
    throw error
  }
}

/**
 * GET /repos/{owner}/{repo}/git/commits/{ref}. Returns the commit of a branch.
 *
 * @throws PlatformError `platform_not_found` when there is no such commit or branch
 */
export async function findCommit(
  connection: Connection,
  access: Access,
  ref: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  return (await readAncestor(connection, access, ref, signal)).sha
}

function readAncestor(
  connection: Connection,
  access: Access,
  ref: string,
  signal: AbortSignal | undefined,
) {
  const path = `/git/commits/${encodeRef(ref)}?${brief}`
  return sendForJson(connection, buildRepositoryCall(access, path, signal), ancestor)
}

async function listCommits(
  connection: Connection,
  { access, path, limit }: { access: Access; path: string; limit: number },
  signal: AbortSignal | undefined,
): Promise<CommitSummary[]> {
  const commits: CommitSummary[] = []
  const call = buildRepositoryCall(access, path, signal)
  for await (const one of readPages(connection, call, commit, Math.min(limit, maxPageSize))) {
    commits.push(one)
    if (commits.length === limit) break
  }
  return commits
}

const ancestor = z.object({
  sha: z.string(),
  created: z.string().catch(''),
  parents: z
    .array(z.object({ sha: z.string() }))
    .nullish()
    .transform((parents) => (parents ?? []).map(({ sha }) => sha)),
})

/**
 * GET /repos/{owner}/{repo}/compare/{base}...{head}, which lists the commits of the head that the
 * base lacks. All common ancestors are behind them, so the newest of their other parents is the
 * merge base.
 */
export const getMergeBase: HostCall<'getMergeBase'> = async (
  connection,
  access,
  base,
  head,
  signal,
) => {
  const path = `/compare/${encodeRef(base)}...${encodeRef(head)}?${brief}`
  const call = buildRepositoryCall(access, path, signal, { maxBytes: maxComparisonBytes })
  const comparison = z.object({ commits: z.array(ancestor).nullish() })
  const commits = (await sendForJson(connection, call, comparison)).commits ?? []
  const own = new Set(commits.map(({ sha }) => sha))
  const parents = new Set(commits.flatMap((one) => one.parents).filter((sha) => !own.has(sha)))
  const candidates = commits.length === 0 ? [head] : [...parents]
  const [only] = candidates
  if (only === undefined)
    throw new PlatformError('platform_not_found', 'The commits have no common ancestor.')
  if (candidates.length === 1 && commits.length > 0) return only
  const found = await Promise.all(
    candidates.map((sha) => readAncestor(connection, access, sha, signal)),
  )
  return found.sort((a, b) => Date.parse(b.created) - Date.parse(a.created))[0]!.sha
}
